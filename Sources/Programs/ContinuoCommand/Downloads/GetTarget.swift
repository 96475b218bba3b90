import ControlProtocol
import Downloading
import Glibc
import MusicFiles
import TextFormatting
import Transfer

struct GetTarget: Hashable, Sendable {
  let url: WebURL
  let credentials: Credentials?
  /// The path of the file, in the text form of `RawArguments`.
  let path: String

  /// The maximum length of a name from a URL, in bytes. With the suffixes of the files beside it, the name
  /// has at most 255 bytes, the limit of Linux's usual file systems.
  static let nameLimit = 255 - ".part.record.new".utf8.count

  /// Returns the targets in order. `output` is a folder if it ends with a slash or names an existing one,
  /// else the file; nil is the working directory.
  static func all(_ urls: [String], output: String?) throws(SyntaxError) -> [GetTarget] {
    var targets: [GetTarget] = []
    let folder = try output.map { text throws(SyntaxError) in try Self.folder(text, count: urls.count) } ?? ""
    for text in urls {
      let (url, credentials) = try read(text)
      var path = output ?? ""
      if let folder {
        guard let name = name(of: url) else {
          throw SyntaxError("\(url.textForMessages) has no file name; use --output FILE")
        }
        path = folder + RawArguments.text(of: Array(name.utf8))
      }
      if let other = targets.first(where: { $0.path == path }) {
        throw SyntaxError("\(other.url.textForMessages) and \(url.textForMessages) would both be \(path)")
      }
      targets.append(GetTarget(url: url, credentials: credentials, path: path))
    }
    return targets
  }

  private static func read(_ text: String) throws(SyntaxError) -> (WebURL, Credentials?) {
    do throws(WebURL.Problem) {
      return try WebURL.read(text)
    } catch {
      let told = WebURL.withoutCredentials(text)
      switch error {
      case .tooLong: throw SyntaxError("the URL is longer than \(NetworkLimits.url) bytes")
      case .unsupportedScheme(let scheme): throw SyntaxError("\(told): \(scheme): URLs are not supported")
      case .malformed: throw SyntaxError("\(told) is not a URL like http://example.org/a.mp3")
      }
    }
  }

  /// Returns the prefix of names; nil if `output` is the file itself.
  private static func folder(_ output: String, count: Int) throws(SyntaxError) -> String? {
    if output.hasSuffix("/") { return output }
    if (try? FileStatus(of: RawArguments.bytes(of: output)))?.type == S_IFDIR { return output + "/" }
    guard count == 1 else {
      throw SyntaxError("--output \(output): \(count) URLs need a folder, and that is none")
    }
    return nil
  }

  /// Returns the last part of the path, in its encoded form if a path or a terminal would misread the decoded
  /// one; nil if it is empty, hidden or too long. Only the user may choose a file to write: the server's
  /// proposal, which may also differ when a download is resumed, is ignored.
  static func name(of url: WebURL) -> String? {
    let (encoded, decoded) = url.lastPart
    let isPlain = { (text: String) in !text.contains("/") && TerminalText.sanitized(text) == text }
    let name = decoded.flatMap { isPlain($0) ? $0 : nil } ?? encoded
    return name.isEmpty || name.hasPrefix(".") || name.utf8.count > nameLimit ? nil : name
  }
}
