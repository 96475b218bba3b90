import Foundation

/// The path of a program that is built beside the tests.
package func product(_ name: String) -> String {
  let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
  // `swift test` runs the bundle in a process of the toolchain's or directly; its first argument is the bundle.
  for path in [tests] + CommandLine.arguments {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    let candidate = folder.appendingPathComponent(name).path
    if FileManager.default.isExecutableFile(atPath: candidate) { return candidate }
  }
  return name
}
