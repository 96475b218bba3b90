import Foundation
import FoundationNetworking
import TextFormatting
import Transfer
import TransferService

/// The content of a URL that needs no network.
enum LocalContent {
  case file(path: String, count: Int64)
  case data(Data, type: String)

  /// Returns whether the scheme of `url` is `file` or `data`.
  static func isMeant(by url: URL?) -> Bool { ["file", "data"].contains(url?.scheme?.lowercased()) }

  /// Examines the file of a `file:` URL, or decodes a `data:` URL (RFC 2397); nil for other URLs. Throws a `URLError`
  /// for a missing or unreadable file, a directory, and a malformed `data:` URL. Blocks on the disk.
  init?(_ url: URL) throws(URLError) {
    switch url.scheme?.lowercased() {
    case "data": self = try Self.data(of: url)
    case "file":
      let path = url.resolvingSymlinksInPath().path
      guard let count = TransferBody.size(of: path) else { throw Self.failure(of: path, url) }
      self = .file(path: path, count: count)
    default: return nil
    }
  }

  var count: Int64 {
    switch self {
    case .file(_, let count): count
    case .data(let data, _): Int64(data.count)
    }
  }

  func response(for url: URL) -> URLResponse {
    guard case .data(_, let type) = self else {
      return URLResponse(
        url: url, mimeType: "application/octet-stream", expectedContentLength: Int(count),
        textEncodingName: nil)
    }
    let parts = type.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
    let charset = parts.first { $0.lowercased().hasPrefix("charset=") }?.dropFirst("charset=".count)
    return URLResponse(
      url: url, mimeType: parts.first?.lowercased(), expectedContentLength: Int(count),
      textEncodingName: charset?.lowercased())
  }

  /// Returns the content, read into memory. Blocks on the disk.
  func read() throws -> Data {
    switch self {
    case .file(let path, _): try Data(contentsOf: URL(fileURLWithPath: path))
    case .data(let data, _): data
    }
  }

  /// Copies the content to a new file. Blocks on the disk.
  func copy(to target: String) throws {
    switch self {
    case .file(let path, _): try FileManager.default.copyItem(atPath: path, toPath: target)
    case .data(let data, _): try data.write(to: URL(fileURLWithPath: target))
    }
  }

  private static func data(of url: URL) throws(URLError) -> LocalContent {
    let text = url.absoluteString.dropFirst("data:".count)
    guard let comma = text.firstIndex(of: ",") else { throw .of(.badURL, nil, "a data URL without a comma") }
    var type = String(text[..<comma])
    var bytes = Data(PercentEncoding.decode(text[text.index(after: comma)...].utf8).bytes)
    if type.lowercased().hasSuffix(";base64") {
      type.removeLast(";base64".count)
      guard let decoded = Data(base64Encoded: bytes) else { throw .of(.badURL, nil, "invalid base64") }
      bytes = decoded
    }
    if type.isEmpty { type = ";charset=us-ascii" }
    return .data(bytes, type: type.hasPrefix(";") ? "text/plain" + type : type)
  }

  private static func failure(of path: String, _ url: URL) -> URLError {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      return .of(.fileDoesNotExist, url, "the file does not exist")
    }
    return isFolder.boolValue
      ? .of(.fileIsDirectory, url, "the file is a directory")
      : .of(.noPermissionsToReadFile, url, "the file cannot be read")
  }
}
