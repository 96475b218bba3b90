extension Command {
  /// The filter of a command that searches the queue or the database; nil for other commands.
  package var filter: FilterExpression? {
    switch self {
    case .listing(.playlistfind(let request)), .listing(.playlistsearch(let request)): request.expression
    case .database(.find(let query)), .database(.search(let query)), .database(.findadd(let query)),
      .database(.searchadd(let query)), .playlists(.searchaddpl(_, let query)):
      query.filter
    case .database(.count(let query)): query.filter
    case .database(.list(let query)): query.filter
    default: nil
    }
  }
}
