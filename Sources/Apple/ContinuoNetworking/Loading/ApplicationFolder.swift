import Foundation

/// The folders of the application, named after `CONTINUO_APPLICATION` or else the program.
enum ApplicationFolder {
  /// Returns the folder `continuo/KIND/APPLICATION` in a root folder for data. The root is the absolute path in the
  /// environment variable `base`, or else `fallback` in `$HOME`, or in `/tmp` if `HOME` is not set.
  static func url(_ kind: String, in base: String, or fallback: String) -> URL {
    let environment = ProcessInfo.processInfo.environment
    let root =
      environment[base].flatMap { $0.hasPrefix("/") ? $0 : nil }
      ?? "\(environment["HOME"] ?? "/tmp")/\(fallback)"
    let name = environment["CONTINUO_APPLICATION"] ?? ProcessInfo.processInfo.processName
    return URL(
      fileURLWithPath: "\(root)/continuo/\(kind)/\(name.replacingOccurrences(of: "/", with: "_"))",
      isDirectory: true)
  }
}
