package import Transfer
import XMLReading

/// A playlist from a server: M3U, PLS, XSPF, or a feed (RSS) of episodes. Its entries are `http` and `https`
/// URLs only, resolved against the URL of the playlist, because data from the network must not name local
/// files.
package struct NetworkPlaylist: Hashable, Sendable {
  package struct Entry: Hashable, Sendable {
    package var url: WebURL
    package var credentials: Credentials?
    package var title: String?

    package init(url: WebURL, credentials: Credentials? = nil, title: String? = nil) {
      self.url = url
      self.credentials = credentials
      self.title = title
    }
  }

  package struct Problem: Hashable, Sendable {
    /// The text of the entry, truncated if long, or the number of its line.
    package var text: String
    package var reason: String

    package init(text: String, reason: String) {
      self.text = text
      self.reason = reason
    }
  }

  package enum Kind: Sendable {
    case m3u
    case pls
    case xspf
    /// RSS, whose episodes are the MPEG audio enclosures.
    case feed

    package var byteLimit: Int { self == .feed ? NetworkLimits.feed : NetworkLimits.playlist }
  }

  package enum Refusal: Error, Hashable, CustomStringConvertible {
    case tooLong
    case liveStreaming
    /// XML that cannot be read, with the reason.
    case unreadable(Kind, String)

    package var description: String {
      switch self {
      case .tooLong: "the playlist is too long"
      case .liveStreaming: "HTTP Live Streaming is not supported"
      case .unreadable(let kind, let reason):
        "the \(kind == .feed ? "feed" : "playlist") cannot be read: \(reason)"
      }
    }
  }

  /// The playable entries, in order; at most `NetworkLimits.playlistEntries`.
  package private(set) var entries: [Entry] = []
  /// The entries that cannot be used; at most `NetworkLimits.playlistEntries`.
  package private(set) var problems: [Problem] = []
  /// The maximum number of entries, if the playlist has more; nil if `entries` is complete.
  package private(set) var cut: Int?

  /// Returns the format of a response from `url` whose body begins with `bytes`; nil if it is not a playlist.
  package static func kind(contentType: String?, url: WebURL, beginning bytes: some Collection<UInt8>)
    -> Kind?
  {
    let text = PlaylistText.lowercased(
      PlaylistText.trimmed(Array(bytes.prefix(1_024))[...].drop { $0 >= 0x80 }), 1_024)
    if text.starts(with: "#extm3u".utf8) { return .m3u }
    if text.starts(with: "[playlist]".utf8) { return .pls }
    if text.starts(with: "<".utf8) {
      let text = String(decoding: text, as: UTF8.self)
      if text.contains("<rss") { return .feed }
      if text.contains("<playlist") { return .xspf }
    }
    let type = contentType?.lowercased().prefix { $0 != ";" && $0 != " " } ?? ""
    switch type {
    case "audio/x-mpegurl", "audio/mpegurl", "application/x-mpegurl", "application/mpegurl",
      "application/vnd.apple.mpegurl":
      return .m3u
    case "audio/x-scpls", "audio/scpls", "application/pls+xml": return .pls
    case "application/xspf+xml": return .xspf
    case "application/rss+xml": return .feed
    case "audio/mpeg", "audio/mp3", "text/html": return nil
    default: break
    }
    return kind(named: url)
  }

  /// Returns the playlist format that the extension of a URL implies; nil if none.
  package static func kind(named url: WebURL) -> Kind? {
    switch url.path.lowercased().split(separator: "/").last?.split(separator: ".").dropFirst().last {
    case "m3u", "m3u8": .m3u
    case "pls": .pls
    case "xspf": .xspf
    case "rss", "xml": .feed
    default: nil
    }
  }

  /// Parses a playlist; `url` is the URL after redirects.
  package init(_ bytes: [UInt8], kind: Kind, from url: WebURL) throws(Refusal) {
    guard bytes.count <= kind.byteLimit else { throw .tooLong }
    switch kind {
    case .m3u, .pls: try readLines(bytes, isPLS: kind == .pls, url)
    case .xspf:
      for track in try Self.read(bytes, XSPFText(), kind).tracks {
        add(track.location.utf8, title: track.title, url)
      }
    case .feed: try readFeed(bytes, url)
    }
  }

  private mutating func readLines(_ bytes: [UInt8], isPLS: Bool, _ url: WebURL) throws(Refusal) {
    // The limit allows for the maximum number of entries and as many problems. One more indicates that the
    // playlist is longer.
    let content = PlaylistText.parse(bytes, isPLS: isPLS, limit: 2 * NetworkLimits.playlistEntries + 1)
    if !isPLS, content.isLiveStreaming { throw .liveStreaming }
    problems = content.problems.prefix(NetworkLimits.playlistEntries)
      .map { Problem(text: "line \($0.line)", reason: $0.reason) }
    for entry in content.entries { add(entry.text, title: entry.title, url) }
    if content.entries.count + content.problems.count > 2 * NetworkLimits.playlistEntries {
      cut = NetworkLimits.playlistEntries
    }
  }

  private mutating func readFeed(_ bytes: [UInt8], _ url: WebURL) throws(Refusal) {
    let feed = try Self.read(bytes, FeedText(), .feed)
    for episode in feed.episodes { add(episode.location.utf8, title: episode.title, url) }
    // If the feed has audio, other enclosures such as video are ignored. Otherwise they are reported as
    // problems.
    for other in feed.others where entries.isEmpty {
      let what = other.type.isEmpty ? "an enclosure without a type" : other.type
      problems.append(Problem(text: String(other.location.prefix(200)), reason: "\(what) is not played"))
    }
    if feed.isCut { cut = NetworkLimits.feedEntries }
  }

  private static func read<Handler: XMLHandler>(
    _ bytes: [UInt8], _ handler: Handler, _ kind: Kind
  ) throws(Refusal) -> Handler {
    do throws(XMLProblem) {
      return try XMLReader.read(bytes, handler)
    } catch {
      throw .unreadable(kind, "\(error)")
    }
  }

  private mutating func add(_ text: some Collection<UInt8>, title: String?, _ base: WebURL) {
    guard entries.count < NetworkLimits.playlistEntries else {
      cut = NetworkLimits.playlistEntries
      return
    }
    let written = LenientText.clean(text)
    do throws(WebURL.Problem) {
      let read = try base.resolve(written)
      let name = title.flatMap { $0.isEmpty ? nil : $0 }
      entries.append(Entry(url: read.url, credentials: read.credentials, title: name))
    } catch {
      guard problems.count < NetworkLimits.playlistEntries else { return }
      let reason: String =
        switch error {
        case .tooLong: "the URL is too long"
        case .unsupportedScheme(let scheme): "\(scheme): URLs are not played from the network"
        case .malformed: "this is no URL"
        }
      problems.append(Problem(text: String(written.prefix(200)), reason: reason))
    }
  }
}
