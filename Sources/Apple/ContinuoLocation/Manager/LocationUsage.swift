public import AppLifecycle
import Foundation

/// The uses of the location that an application describes in its `Info.plist`. Requests for other uses are
/// ignored, as on Apple's systems.
public struct LocationUsage: OptionSet, Hashable, Sendable {
  /// The bits of the set.
  public let rawValue: Int
  /// Creates a set from the given bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// The use described by `NSLocationWhenInUseUsageDescription`.
  public static let whenInUse = LocationUsage(rawValue: 1)
  /// That of `NSLocationAlwaysAndWhenInUseUsageDescription` or `NSLocationAlwaysUsageDescription`.
  public static let always = LocationUsage(rawValue: 2)

  private struct Content: Decodable {
    var NSLocationWhenInUseUsageDescription: String?
    var NSLocationAlwaysAndWhenInUseUsageDescription: String?
    var NSLocationAlwaysUsageDescription: String?
  }

  /// Reads the uses described in the `Info.plist` at a path. Blocks while the file is read.
  public init(infoPlist path: String) throws(InfoPlistError) {
    let bytes = try InfoPlist.bytes(of: path)
    let content: Content
    do { content = try PropertyListDecoder().decode(Content.self, from: Data(bytes)) } catch {
      throw .damaged(file: path)
    }
    self = []
    if content.NSLocationWhenInUseUsageDescription?.isEmpty == false { insert(.whenInUse) }
    let always =
      content.NSLocationAlwaysAndWhenInUseUsageDescription ?? content.NSLocationAlwaysUsageDescription
    if always?.isEmpty == false { insert(.always) }
  }

  /// The uses described in the `Info.plist` beside the program; all without that file, none if it is damaged.
  static let ofProgram: LocationUsage = {
    let path = Bundle.main.bundleURL.appendingPathComponent("Info.plist").path(percentEncoded: false)
    guard FileManager.default.fileExists(atPath: path) else { return [.whenInUse, .always] }
    return (try? LocationUsage(infoPlist: path)) ?? []
  }()
}
