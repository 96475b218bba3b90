import Transfer
import XMLReading

/// The MPEG audio enclosures of a feed (RSS 2.0), with titles; at most `NetworkLimits.feedEntries`.
struct FeedText: XMLHandler {
  struct Episode: Hashable {
    var location = ""
    var title: String?
  }

  private(set) var episodes: [Episode] = []
  /// The enclosures of other types, with their media types.
  private(set) var others: [(location: String, type: String)] = []
  /// Whether the feed has more episodes than the limit.
  private(set) var isCut = false
  private var path: [String] = []
  private var episode: Episode?

  mutating func began(_ name: String, attributes: [String: String]) throws(XMLProblem) {
    if path.isEmpty, name != "rss" {
      throw XMLProblem(line: nil, reason: "a feed begins with <rss>, not with <\(name)>")
    }
    if name == "item" { episode = Episode() }
    if name == "enclosure", path.last == "item", let location = attributes["url"] {
      let type = attributes["type"]?.lowercased().prefix { $0 != ";" && $0 != " " } ?? ""
      if type == "audio/mpeg" {
        if episode?.location.isEmpty == true { episode?.location = location }
      } else if others.count < NetworkLimits.feedEntries {
        others.append((location, String(type)))
      }
    }
    path.append(name)
  }

  mutating func ended(_ name: String, text: String) throws(XMLProblem) {
    path.removeLast()
    if name == "title", path.last == "item" { episode?.title = LenientText.clean(Array(text.utf8)) }
    guard name == "item", let ended = episode else { return }
    episode = nil
    guard !ended.location.isEmpty else { return }
    if episodes.count < NetworkLimits.feedEntries { episodes.append(ended) } else { isCut = true }
  }
}
