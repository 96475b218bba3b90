public import Foundation
import SystemSupport

/// An error while reading an `Info.plist`.
public enum InfoPlistError: Error, Hashable, Sendable {
  /// The file could not be read. `reason` is the system's message or a description of the fault.
  case unreadable(file: String, reason: String)
  /// The file is not a property list, or its top level is not a dictionary.
  case damaged(file: String)
  /// `UIBackgroundModes` is not a list of strings.
  case wrongType(file: String)
  /// `BGTaskSchedulerPermittedIdentifiers` is not a list of strings.
  case wrongTaskIdentifiers(file: String)
}

extension InfoPlistError: CustomStringConvertible, LocalizedError {
  /// A message for the user, including the file name.
  public var description: String {
    switch self {
    case .unreadable(let file, let reason): "\(file): \(reason)"
    case .damaged(let file): "\(file): not a property list with a dictionary in it"
    case .wrongType(let file): "\(file): UIBackgroundModes is not a list of names"
    case .wrongTaskIdentifiers(let file):
      "\(file): BGTaskSchedulerPermittedIdentifiers is not a list of names"
    }
  }

  /// The same text as `description`.
  public var errorDescription: String? { description }
}

extension BackgroundModes {
  /// The maximum size of a property-list file, in bytes: far above that of a real one. Larger files, such as
  /// a film named by mistake, are refused.
  public static let infoPlistLimit = 4 << 20

  /// Reads the modes under `UIBackgroundModes` in the `Info.plist` at a path: XML or binary, at most
  /// `infoPlistLimit` bytes. Without that key the set is empty. Each unknown name adds a sentence to
  /// `warnings`. Blocks while the file is read. A pipe is refused without waiting.
  public init(infoPlist path: String) throws(InfoPlistError) {
    try self.init(infoPlist: try InfoPlist.bytes(of: path), name: path)
  }

  /// Reads the modes from the `Info.plist` at a file URL, as `init(infoPlist:)` with a path does.
  public init(infoPlist file: URL) throws(InfoPlistError) {
    guard file.isFileURL else { throw .unreadable(file: file.absoluteString, reason: "not a file URL") }
    try self.init(infoPlist: file.path(percentEncoded: false))
  }

  /// Reads the modes from the content of an `Info.plist`. `name` is the file name used in errors.
  public init(infoPlist bytes: some Sequence<UInt8>, name: String) throws(InfoPlistError) {
    self.init(
      names: try InfoPlist.names(
        under: "UIBackgroundModes", in: bytes, name, otherwise: .wrongType(file: name)))
  }
}

extension LifecycleSettings {
  /// Sets `permittedTaskIdentifiers` from `BGTaskSchedulerPermittedIdentifiers` in the `Info.plist` at a
  /// path. Without that key the set is empty. The file is read as by `BackgroundModes.init(infoPlist:)`.
  public mutating func readPermittedTaskIdentifiers(infoPlist path: String) throws(InfoPlistError) {
    permittedTaskIdentifiers = Set(
      try InfoPlist.names(
        under: "BGTaskSchedulerPermittedIdentifiers", in: try InfoPlist.bytes(of: path), path,
        otherwise: .wrongTaskIdentifiers(file: path)))
  }
}

package enum InfoPlist {
  /// A list of names; nil for a value of another type.
  private struct Value: Decodable {
    let names: [String]?
    init(from decoder: any Decoder) { names = try? [String](from: decoder) }
  }

  /// Returns the list of names under a key in the content of an `Info.plist`; empty without the key. Throws
  /// `damaged`, or `wrong` if the value has another type. `name` is the file name used in errors.
  static func names(
    under key: String, in bytes: some Sequence<UInt8>, _ name: String, otherwise wrong: InfoPlistError
  ) throws(InfoPlistError) -> [String] {
    guard let content = try? PropertyListDecoder().decode([String: Value].self, from: Data(bytes)) else {
      throw .damaged(file: name)
    }
    guard let value = content[key] else { return [] }
    guard let names = value.names else { throw wrong }
    return names
  }

  /// Reads a file of at most `BackgroundModes.infoPlistLimit` bytes. Refuses a pipe without waiting. Blocks.
  package static func bytes(of path: String) throws(InfoPlistError) -> [UInt8] {
    do throws(FileBytes.Problem) {
      return try FileBytes.read(path, limit: BackgroundModes.infoPlistLimit)
    } catch { throw .unreadable(file: path, reason: error.description) }
  }
}
