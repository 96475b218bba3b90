public import Foundation
import Glibc

/// Why a property list is of no use.
public enum InfoPlistError: Error, Hashable, Sendable {
  /// The file cannot be read; the system's word for it.
  case unreadable(file: String, reason: String)
  /// It is no property list in XML or binary form, or has no dictionary at the top.
  case damaged(file: String)
  /// `UIBackgroundModes` is something else than a list of names.
  case wrongType(file: String)
}

extension InfoPlistError: CustomStringConvertible, LocalizedError {
  /// A sentence for a person, with the file's name.
  public var description: String {
    switch self {
    case .unreadable(let file, let reason): "\(file): \(reason)"
    case .damaged(let file): "\(file): not a property list with a dictionary in it"
    case .wrongType(let file): "\(file): UIBackgroundModes is not a list of names"
    }
  }

  /// The same.
  public var errorDescription: String? { description }
}

extension BackgroundModes {
  /// The part of the dictionary that is read; everything else is skipped.
  private struct Content: Decodable {
    let modes: [String]?

    enum CodingKeys: String, CodingKey {
      case modes = "UIBackgroundModes"
    }
  }

  /// More bytes than this no bundle's list has; it keeps a wrong name (a film) from being read into memory.
  public static let infoPlistLimit = 4 << 20

  /// The modes under `UIBackgroundModes` in the `Info.plist` at a path: XML or binary, `infoPlistLimit` bytes at
  /// most. None if it has no such key; a name that is not known is warned of. May block on the file, but is never kept
  /// waiting by a pipe.
  public init(infoPlist path: String) throws(InfoPlistError) {
    try self.init(infoPlist: try Self.read(path, path), name: path)
  }

  /// The same for a file URL.
  public init(infoPlist file: URL) throws(InfoPlistError) {
    guard file.isFileURL else { throw .unreadable(file: file.absoluteString, reason: "not a file URL") }
    try self.init(infoPlist: file.path(percentEncoded: false))
  }

  /// The same for the content of a file that errors call `name`.
  public init(infoPlist bytes: some Sequence<UInt8>, name: String) throws(InfoPlistError) {
    let modes: [String]
    do {
      modes = try PropertyListDecoder().decode(Content.self, from: Data(bytes)).modes ?? []
    } catch DecodingError.typeMismatch(_, let context) where !context.codingPath.isEmpty {
      throw .wrongType(file: name)
    } catch DecodingError.valueNotFound(_, let context) where !context.codingPath.isEmpty {
      throw .wrongType(file: name)
    } catch {
      throw .damaged(file: name)
    }
    self.init(names: modes)
  }

  private static func read(_ path: UnsafePointer<CChar>, _ name: String) throws(InfoPlistError) -> [UInt8] {
    // A pipe is refused below and not waited for.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw unreadable(name) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw unreadable(name) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw .unreadable(file: name, reason: "not a regular file")
    }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(descriptor, &block, block.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw unreadable(name) }
      if count == 0 { return bytes }
      guard bytes.count + count <= infoPlistLimit else {
        throw .unreadable(file: name, reason: "larger than \(infoPlistLimit >> 20) MiB")
      }
      bytes += block[..<count]
    }
  }

  /// What `errno` says, starting in lower case like all reasons here.
  private static func unreadable(_ name: String) -> InfoPlistError {
    let text = strerror(errno).map { String(cString: $0) } ?? "error \(errno)"
    return .unreadable(file: name, reason: text.prefix(1).lowercased() + text.dropFirst())
  }
}
