import ControlProtocol
import Downloading
import Glibc
import TextFormatting
import Transfer

/// A URL that `continuo get` fetches, and where to.
struct GetTarget: Hashable, Sendable {
  let url: WebURL
  let credentials: Credentials?
  let path: String

  /// Bytes of a name at most: with the endings of the files beside it, it is one that every file system takes.
  static let nameLimit = 255 - ".part.record.new".utf8.count

  /// The targets of URLs, in their order.
  ///
  /// - Parameter output: the file, or the folder if one is there, or the text ends like one; nil: the working directory.
  static func all(_ urls: [String], output: String?) throws(SyntaxError) -> [GetTarget] {
    var targets: [GetTarget] = []
    let folder = try output.map { text throws(SyntaxError) in try Self.folder(text, count: urls.count) } ?? ""
    for text in urls {
      let (url, credentials) = try read(text)
      var path = output ?? ""
      if let folder {
        guard let name = name(of: url) else {
          throw SyntaxError("\(url.textForMessages) has no name for a file: --output FILE gives it one")
        }
        path = folder + name
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
      let told = String(decoding: WebURL.withoutCredentials(Array(text.utf8)), as: UTF8.self)
      switch error {
      case .tooLong: throw SyntaxError("the URL is longer than \(NetworkLimits.url) bytes")
      case .unsupportedScheme(let scheme): throw SyntaxError("\(told): \(scheme): URLs are not supported")
      case .malformed: throw SyntaxError("\(told) is no URL like http://example.org/a.mp3")
      }
    }
  }

  /// What is in front of names; nil if `output` is the file itself.
  private static func folder(_ output: String, count: Int) throws(SyntaxError) -> String? {
    if output.hasSuffix("/") { return output }
    var status = stat()
    if stat(output, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return output + "/" }
    guard count == 1 else {
      throw SyntaxError("--output \(output): \(count) URLs need a folder, and that is none")
    }
    return nil
  }

  /// The last part of the path, without what a path, a terminal or a listing takes for something else; nil if nothing is
  /// left. What the server would like to call it does not count: the name has to be the same when a download goes on, and
  /// nobody but the user chooses what is written.
  static func name(of url: WebURL) -> String? {
    let (encoded, decoded) = url.lastPart
    let isPlain = { (text: String) in !text.contains("/") && TerminalText.sanitized(text) == text }
    let name = decoded.flatMap { isPlain($0) ? $0 : nil } ?? encoded
    return name.isEmpty || name.hasPrefix(".") || name.utf8.count > nameLimit ? nil : name
  }
}
