import Foundation

/// The programs installed on this machine, found in PATH.
struct Tools {
  private let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")

  /// The path of `name`; nil if it is not installed.
  func path(_ name: String) -> String? { folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 } }

  func require(_ name: String) throws -> String {
    guard let path = path(name) else { throw BenchError("\(name) is needed and not installed") }
    return path
  }
}
