import ControlTestSupport
import Testing

/// Runs each test of a suite twice: with servers on a Unix socket, and with servers on a TCP port.
struct BothTransports: SuiteTrait, TestTrait, TestScoping {
  let isRecursive = true

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    let isUnixOnly = test.traits.contains { $0 is UnixOnly }
    for transport in isUnixOnly ? [.unix] : Transport.allCases {
      try await Transport.$current.withValue(transport) { try await function() }
    }
  }
}

/// A test of what a Unix socket alone can do, in a suite that runs with both.
struct UnixOnly: TestTrait {
  let reason: Comment
  var comments: [Comment] { [reason] }
}

extension Trait where Self == UnixOnly {
  static func unixOnly(_ reason: Comment) -> Self { Self(reason: reason) }
}

extension Trait where Self == BothTransports {
  static var bothTransports: Self { Self() }
}
