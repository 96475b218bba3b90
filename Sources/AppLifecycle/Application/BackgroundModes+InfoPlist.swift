public import Foundation
import Glibc

/// Why background modes could not be read from a property list.
public enum InfoPlistError: Error, Hashable, Sendable {
  /// The file cannot be read. `reason` is the system's message, or what is wrong with the file.
  case unreadable(file: String, reason: String)
  /// The file is not a property list in XML or binary form, or its top level is not a dictionary.
  case damaged(file: String)
  /// `UIBackgroundModes` is not a list of strings.
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

  /// `description`.
  public var errorDescription: String? { description }
}

extension BackgroundModes {
  /// The part of the dictionary that is read. Other keys are ignored.
  private struct Content: Decodable {
    let modes: [String]?

    enum CodingKeys: String, CodingKey {
      case modes = "UIBackgroundModes"
    }
  }

  /// The largest file that is read, in bytes. Far above a real `Info.plist`; it prevents that a wrong path (a
  /// film) is read into memory.
  public static let infoPlistLimit = 4 << 20

  /// Reads the modes under `UIBackgroundModes` in the `Info.plist` at a path: XML or binary, at most
  /// `infoPlistLimit` bytes. Without that key there are no modes. An unknown name adds a sentence to
  /// `warnings`. Blocks while the file is read. A pipe is refused, not waited for.
  public init(infoPlist path: String) throws(InfoPlistError) {
    try self.init(infoPlist: try Self.read(path, path), name: path)
  }

  /// Reads the modes from the `Info.plist` at a file URL, as `init(infoPlist:)` with a path does.
  public init(infoPlist file: URL) throws(InfoPlistError) {
    guard file.isFileURL else { throw .unreadable(file: file.absoluteString, reason: "not a file URL") }
    try self.init(infoPlist: file.path(percentEncoded: false))
  }

  /// Reads the modes from the content of an `Info.plist`. `name` is the file's name in errors.
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
    // O_NONBLOCK: opening a pipe must not wait for a writer. The pipe is refused below.
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

  /// An error with the message of `errno`, in lower case at its start like all reasons here.
  private static func unreadable(_ name: String) -> InfoPlistError {
    let text = strerror(errno).map { String(cString: $0) } ?? "error \(errno)"
    return .unreadable(file: name, reason: text.prefix(1).lowercased() + text.dropFirst())
  }
}
