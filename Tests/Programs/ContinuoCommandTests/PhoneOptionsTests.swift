import ArgumentParser
import Testing

@testable import ContinuoCommand

@Suite struct PhoneOptionsTests {
  @Test func aTerminatorEndsTheOptionsOfThePhone() throws {
    let command = try RootCommand.parseAsRoot(["phone", "run", "--grace", "2", "--", "/bin/true", "-x", "--"])
    #expect((command as? Phone.Run)?.program == ["/bin/true", "-x", "--"])
    let error = #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(["phone", "run", "--"]) }
    #expect(error.map { RootCommand.message(for: $0) }?.hasPrefix("No program") == true)
  }
}
