import Foundation
import PulseTestSupport
import Testing

extension EndToEndTests {
  /// The system gives the player less than it needs.
  @Suite struct ShortageTests {
    private func run(_ limits: String, _ arguments: [String], in studio: Studio) throws -> (Child, Output) {
      let output = try Output(in: studio.folder)
      // The superuser has no limit of processes.
      let user = geteuid() == 0 ? "setpriv --reuid 23456 --clear-groups" : ""
      let command = limits.replacingOccurrences(of: "USER", with: user)
      let child = try Child(
        ["sh", "-c", "exec \(command) \"$0\" \"$@\"", product("continuo")] + arguments,
        environment: studio.environment, streams: output.streams)
      return (child, output)
    }

    /// A file that takes what a child says.
    private struct Output {
      let path: String
      let streams: Child.Streams
      init(in folder: String) throws {
        path = "\(folder)/said"
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        streams = .descriptors(input: null, output: file, error: file)
      }
      var text: String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
    }

    // setpriv last: it still may go where the program is, in the superuser's own folder for one.
    @Test(arguments: ["prlimit --nproc=1 USER", "prlimit --as=200000000"], ["play", "serve"])
    func saysWhatIsMissing(limits: String, command: String) async throws {
      let studio = try Studio()
      defer { studio.close() }
      // Another user looks here.
      chmod(studio.folder, 0o755)
      let path = try await Song(duration: 5, bitRate: 64).write(into: studio.folder)
      let (child, output) = try run(
        limits, [command, "--output", "simulated", command == "play" ? "--no-socket" : "--no-state", path],
        in: studio)
      defer { child.signal(SIGKILL) }
      #expect(try await child.ended().status == 71)
      #expect(output.text.contains("the system gives"))
      #expect(output.text.contains("ulimit"))
    }

    /// Once it runs it may be that nobody gets a thread any more.
    @Test func endsWithoutAnotherThread() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 5, bitRate: 64).write(into: studio.folder)
      let player = try studio.play([path, "--output", "simulated"])
      try await player.reached(10)
      let limits = try await output(
        of: ["prlimit", "--pid", "\(player.child.identifier)", "--nproc=0", "--as=1000"])
      #expect(limits.isEmpty)
      let ending = try await player.ended(by: SIGTERM)
      #expect(ending.end.status == 128 + SIGTERM)
    }
  }
}
