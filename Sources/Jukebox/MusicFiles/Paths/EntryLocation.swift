package import Jukebox
import TextFormatting
package import Transfer

/// The location of the medium that a playlist entry or an argument names.
package enum EntryLocation: Hashable, Sendable {
  case url(WebURL, Credentials?)
  /// Candidate paths, of which the first existing one counts.
  case paths([MediaPath])
  /// An unsupported or invalid location, with the reason.
  case unusable(String)

  /// Parses a path or a URL. Playlists from other systems may name files in Latin-1 (the encoding of `.m3u`
  /// before `.m3u8`) and with backslashes. In the list of candidates these readings follow the path as
  /// written.
  package init(_ text: [UInt8]) {
    if let scheme = Self.scheme(of: text) {
      self = scheme == "file" ? Self.fileURL(text.dropFirst("file:".utf8.count)) : Self.webURL(text)
      return
    }
    var paths = [MediaPath(bytes: text)]
    if String(validating: text, as: UTF8.self) == nil {
      paths.append(MediaPath(String(String.UnicodeScalarView(text.map { Unicode.Scalar($0) }))))
    }
    if text.contains(UInt8(ascii: "\\")) {
      paths += paths.map { path in
        MediaPath(bytes: path.bytes.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 })
      }
    }
    self = .paths(paths)
  }

  package static func isURL(_ text: [UInt8]) -> Bool { scheme(of: text) != nil }

  /// Returns the scheme in lower case if the text is a URL, `file:/` or `scheme://`; nil for a path, which
  /// may contain a colon too.
  private static func scheme(of text: [UInt8]) -> String? {
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return nil }
    let name = String(decoding: text[..<colon], as: UTF8.self).lowercased()
    let isLetter = { (byte: UInt8) in (0x61...0x7A).contains(byte) }
    let isName = name.utf8.allSatisfy { isLetter($0) || "0123456789+-.".utf8.contains($0) }
    let rest = text[(colon + 1)...]
    guard isName, isLetter(name.utf8.first ?? 0), rest.first == UInt8(ascii: "/"),
      name == "file" || rest.starts(with: "//".utf8)
    else { return nil }
    return name
  }

  private static func webURL(_ text: [UInt8]) -> EntryLocation {
    do throws(WebURL.Problem) {
      let (url, credentials) = try WebURL.read(LenientText.read(text))
      return .url(url, credentials)
    } catch {
      switch error {
      case .tooLong: return .unusable("a URL of more than \(NetworkLimits.url) bytes")
      case .unsupportedScheme(let scheme): return .unusable("\(scheme): URLs are not supported")
      case .malformed: return .unusable("not a valid URL")
      }
    }
  }

  /// Returns the location of a `file:` URL, given without its scheme. The host must be empty or `localhost`.
  private static func fileURL(_ text: ArraySlice<UInt8>) -> EntryLocation {
    var path = text
    if text.starts(with: "//".utf8) {
      let slash = text.dropFirst(2).firstIndex(of: UInt8(ascii: "/")) ?? text.endIndex
      let host = String(decoding: text[(text.startIndex + 2)..<slash], as: UTF8.self)
      guard host.isEmpty || host.lowercased() == "localhost" else {
        return .unusable("file URLs on another host (\(host)) are not supported")
      }
      path = text[slash...]
    }
    guard !path.isEmpty else { return .unusable("a file URL without a path") }
    let (bytes, isValid) = PercentEncoding.decode(path)
    // Refuses zero bytes, because the system would cut the path off at the first one.
    guard isValid, !bytes.contains(0) else {
      return .unusable("invalid percent-encoding in a file URL")
    }
    return .paths([MediaPath(bytes: bytes)])
  }
}

extension SongLocator {
  package init(_ file: MediaPath) { self.init(path: file.bytes) }

  /// The path of the file; nil for a URL.
  package var file: MediaPath? { path.map { MediaPath(bytes: $0) } }

  /// The URL of a file or a network resource, without credentials.
  package var urlText: String { file?.fileURL ?? String(decoding: bytes, as: UTF8.self) }

  /// The name for messages: the path, or the URL without its query, which may contain a secret.
  package var displayName: String { url?.textForMessages ?? String(decoding: bytes, as: UTF8.self) }

  /// The last component of the path, decoded if it is a URL's; the host for a URL without one.
  package var fileName: String {
    guard let url else { return String(decoding: MediaPath(bytes: bytes).name, as: UTF8.self) }
    let name = MediaPath(url.path).name
    return name.isEmpty ? url.host : PercentEncoding.text(of: name)
  }
}
