import Transfer
import XMLReading

/// A track or episode of a playlist in XML.
struct XMLEntry: Hashable {
  var location = ""
  var title: String?
}

/// The first MPEG audio enclosure of each item of a feed (RSS 2.0), with the item's title; at most
/// `NetworkLimits.feedEntries`.
struct FeedText: XMLHandler {
  private(set) var episodes: [XMLEntry] = []
  /// The enclosures of other types, with their media types, empty if missing; at most `NetworkLimits.feedEntries`.
  private(set) var others: [(location: String, type: String)] = []
  /// Whether the feed has more episodes than the limit.
  private(set) var isCut = false
  private var path: [String] = []
  private var episode: XMLEntry?

  mutating func began(_ name: String, attributes: [String: String]) throws(XMLProblem) {
    if path.isEmpty, name != "rss" {
      throw XMLProblem(line: nil, reason: "a feed begins with <rss>, not with <\(name)>")
    }
    if name == "item" { episode = XMLEntry() }
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

/// The tracks of an XSPF playlist (xspf.org, version 1) that have a location, each with its first location.
struct XSPFText: XMLHandler {
  private(set) var tracks: [XMLEntry] = []
  /// The names of the open elements, without prefixes.
  private var path: [String] = []
  private var track: XMLEntry?

  mutating func began(_ name: String, attributes: [String: String]) throws(XMLProblem) {
    let name = String(name.split(separator: ":").last ?? "")
    if path.isEmpty, name != "playlist" {
      throw XMLProblem(line: nil, reason: "a playlist begins with <playlist>, not with <\(name)>")
    }
    if name == "track" { track = XMLEntry() }
    path.append(name)
  }

  mutating func ended(_ name: String, text: String) throws(XMLProblem) {
    switch path.removeLast() {
    case "location" where path.last == "track" && track?.location.isEmpty == true: track?.location = text
    case "title" where path.last == "track": track?.title = LenientText.clean(text.utf8)
    case "track":
      if let track, !track.location.isEmpty { tracks.append(track) }
      track = nil
    default: break
    }
  }
}
