package import Foundation

/// A folder of its own for a test, gone with it.
package final class TemporaryFolder: Sendable {
  /// Where it is. Short: a socket's path has room for 107 bytes.
  package let path: String

  /// Makes one that only this user may look into.
  package init() throws {
    var template = Array("/tmp/continuo-test-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw CocoaError(.fileWriteUnknown) }
    path = String(cString: made)
  }

  deinit { remove() }

  /// Removes it with all that is in it, now.
  package func remove() { try? FileManager.default.removeItem(atPath: path) }

  /// The path of what is in it.
  package func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes a file, with the folders above it, and returns its path.
  @discardableResult
  package func write(_ name: String, _ content: some Sequence<UInt8> = []) throws -> String {
    let url = URL(fileURLWithPath: file(name))
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(content).write(to: url)
    return file(name)
  }

  /// Writes a text.
  package func write(_ name: String, _ text: String) throws { try write(name, Array(text.utf8)) }

  /// Makes a symbolic link.
  package func link(_ name: String, to destination: String) throws {
    try FileManager.default.createSymbolicLink(atPath: file(name), withDestinationPath: destination)
  }

  /// What is in it, sorted.
  package var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? [] }

  /// The bytes of a file.
  package func read(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: file(name))))
  }

  /// The permissions of what is in it; nil if it is not there.
  package func mode(of name: String) -> Int? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: file(name))
    return (attributes?[.posixPermissions] as? NSNumber)?.intValue
  }
}

/// The files of the package, wherever it was cloned to.
package enum Repository {
  package static let folder = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
    url.deletingLastPathComponent()
  }

  /// A piece of music in `Media`.
  package static func media(_ name: String) -> URL { folder.appendingPathComponent("Media/\(name)") }

  /// The files with which the decoder is tested.
  package static let fixtures = folder.appendingPathComponent("Tests/Sound/MP3DecodingTests/Fixtures")
}
