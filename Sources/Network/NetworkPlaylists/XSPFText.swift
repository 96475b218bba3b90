import Transfer
import XMLReading

/// The tracks of an XSPF playlist (xspf.org, version 1) that have a location, each with its first location.
struct XSPFText: XMLHandler {
  struct Track: Hashable {
    var location = ""
    var title: String?
  }

  private(set) var tracks: [Track] = []
  /// The names of the open elements, without prefixes.
  private var path: [String] = []
  private var track: Track?

  mutating func began(_ name: String, attributes: [String: String]) throws(XMLProblem) {
    let name = String(name.split(separator: ":").last ?? "")
    if path.isEmpty, name != "playlist" {
      throw XMLProblem(line: nil, reason: "a playlist begins with <playlist>, not with <\(name)>")
    }
    if name == "track" { track = Track() }
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
