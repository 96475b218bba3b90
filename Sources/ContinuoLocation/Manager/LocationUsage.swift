public import AppLifecycle
import Foundation

/// For which uses of the location an application has written a description in its `Info.plist`. Requests for the others are
/// not put to anybody, as on Apple's systems.
public struct LocationUsage: OptionSet, Hashable, Sendable {
  /// The bits.
  public let rawValue: Int
  /// Those bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// `NSLocationWhenInUseUsageDescription`.
  public static let whenInUse = LocationUsage(rawValue: 1)
  /// `NSLocationAlwaysAndWhenInUseUsageDescription`, or `NSLocationAlwaysUsageDescription`.
  public static let always = LocationUsage(rawValue: 2)

  private struct Content: Decodable {
    var NSLocationWhenInUseUsageDescription: String?
    var NSLocationAlwaysAndWhenInUseUsageDescription: String?
    var NSLocationAlwaysUsageDescription: String?
  }

  /// The uses that the `Info.plist` at a path describes. Blocks while the file is read.
  public init(infoPlist path: String) throws(InfoPlistError) {
    let bytes = try InfoPlist.bytes(of: path)
    let content: Content
    do {
      content = try PropertyListDecoder().decode(Content.self, from: Data(bytes))
    } catch {
      throw .damaged(file: path)
    }
    self = []
    if content.NSLocationWhenInUseUsageDescription?.isEmpty == false { insert(.whenInUse) }
    let always =
      content.NSLocationAlwaysAndWhenInUseUsageDescription ?? content.NSLocationAlwaysUsageDescription
    if always?.isEmpty == false { insert(.always) }
  }

  /// Those of `Info.plist` beside the program; all of them without that file, and none if it is damaged.
  static let ofProgram: LocationUsage = {
    let path = Bundle.main.bundleURL.appendingPathComponent("Info.plist").path(percentEncoded: false)
    guard FileManager.default.fileExists(atPath: path) else { return [.whenInUse, .always] }
    return (try? LocationUsage(infoPlist: path)) ?? []
  }()
}
