public import AppLifecycle
import Foundation

/// The usage descriptions in an application's `Info.plist`: texts that explain why it uses the location. A
/// request whose usage description is missing is ignored, as on Apple's systems.
public struct LocationUsage: Hashable, Sendable {
  /// The text of `NSLocationWhenInUseUsageDescription`; nil without it.
  public var whenInUse: String?
  /// The text of `NSLocationAlwaysAndWhenInUseUsageDescription` or, without it, of
  /// `NSLocationAlwaysUsageDescription`; nil without both.
  public var always: String?

  /// Creates texts. By default there are none, so that every request is ignored.
  public init(whenInUse: String? = nil, always: String? = nil) {
    self.whenInUse = whenInUse
    self.always = always
  }

  private struct Content: Decodable {
    var NSLocationWhenInUseUsageDescription: String?
    var NSLocationAlwaysAndWhenInUseUsageDescription: String?
    var NSLocationAlwaysUsageDescription: String?
  }

  /// Reads the texts in the `Info.plist` at a path; an empty text counts as none. Blocks while the file is
  /// read.
  public init(infoPlist path: String) throws(InfoPlistError) {
    let bytes = try InfoPlist.bytes(of: path)
    let content: Content
    do { content = try PropertyListDecoder().decode(Content.self, from: Data(bytes)) } catch {
      throw .damaged(file: path)
    }
    let always =
      content.NSLocationAlwaysAndWhenInUseUsageDescription ?? content.NSLocationAlwaysUsageDescription
    self.init(
      whenInUse: content.NSLocationWhenInUseUsageDescription.flatMap(Self.text),
      always: always.flatMap(Self.text))
  }

  private static func text(_ text: String) -> String? { text.isEmpty ? nil : text }

  /// The texts in the `Info.plist` beside the program; general texts if that file does not exist, and none if
  /// it cannot be read.
  static let ofProgram: LocationUsage = {
    let path = Bundle.main.bundleURL.appendingPathComponent("Info.plist").path(percentEncoded: false)
    guard FileManager.default.fileExists(atPath: path) else {
      return LocationUsage(
        whenInUse: "Your location is used while the application is open.", always: "Your location is used.")
    }
    return (try? LocationUsage(infoPlist: path)) ?? LocationUsage()
  }()
}
