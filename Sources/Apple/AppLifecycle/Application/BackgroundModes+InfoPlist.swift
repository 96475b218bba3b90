public import Foundation
import SystemSupport

/// An error while reading background modes or task identifiers from a property list.
public enum InfoPlistError: Error, Hashable, Sendable {
  /// The file could not be read. `reason` is the system's message or a description of the fault.
  case unreadable(file: String, reason: String)
  /// The file is not a property list in XML or binary form, or its top level is not a dictionary.
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
  /// The maximum size of a property list, in bytes. Far above a real `Info.plist`; it keeps a wrong path (to
  /// a film, say) from being read into memory.
  public static let infoPlistLimit = 4 << 20

  /// Reads the modes under `UIBackgroundModes` in the `Info.plist` at a path: XML or binary, at most
  /// `infoPlistLimit` bytes. Without that key the set is empty. Each unknown name adds a sentence to
  /// `warnings`. Blocks while the file is read. A pipe is refused without waiting.
  public init(infoPlist path: String) throws(InfoPlistError) {
    try self.init(infoPlist: try InfoPlist.bytes(of: path), name: path)
  }

  /// Reads the modes from the `Info.plist` at a file URL, as `init(infoPlist:)` with a path does.
  public init(infoPlist file: URL) throws(InfoPlistError) {
    guard file.isFileURL else {
      throw .unreadable(file: file.absoluteString, reason: "not a file URL")
    }
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

/// Readers for an application's property list.
package enum InfoPlist {
  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// The list of names under one key. Other keys are ignored.
  private struct Content: Decodable {
    static let key = CodingUserInfoKey(rawValue: "key")
    let names: [String]?

    init(from decoder: any Decoder) throws {
      let key = Self.key.flatMap { decoder.userInfo[$0] as? String } ?? ""
      let container = try decoder.container(keyedBy: Key.self)
      names = try container.decodeIfPresent([String].self, forKey: Key(stringValue: key))
    }
  }

  /// Returns the list of names under a key in the content of an `Info.plist`; empty without the key. Throws
  /// `wrong` if the value has another type. `name` is the file name used in errors.
  static func names(
    under key: String, in bytes: some Sequence<UInt8>, _ name: String, otherwise wrong: InfoPlistError
  ) throws(InfoPlistError) -> [String] {
    do {
      let decoder = PropertyListDecoder()
      if let info = Content.key { decoder.userInfo[info] = key }
      return try decoder.decode(Content.self, from: Data(bytes)).names ?? []
    } catch DecodingError.typeMismatch(_, let context) where !context.codingPath.isEmpty {
      throw wrong
    } catch DecodingError.valueNotFound(_, let context) where !context.codingPath.isEmpty {
      throw wrong
    } catch {
      throw .damaged(file: name)
    }
  }

  /// Returns the content of the file at a path, at most `BackgroundModes.infoPlistLimit` bytes. A pipe is
  /// refused without waiting. Blocks while the file is read.
  package static func bytes(of path: String) throws(InfoPlistError) -> [UInt8] {
    do throws(FileBytes.Problem) {
      return try FileBytes.read(path, limit: BackgroundModes.infoPlistLimit)
    } catch {
      throw .unreadable(file: path, reason: error.description)
    }
  }
}
