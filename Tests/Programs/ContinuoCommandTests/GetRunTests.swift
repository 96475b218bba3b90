import Clocks
import Continuo
import Dispatch
import TestSupport
import Testing
import Transfer

@testable import ContinuoCommand

@Suite struct GetRunTests {
  @Test func stoppedDownloadHoldsNothingUp() throws {
    let folder = try TemporaryFolder()
    let server = try LoopbackSocket.listening()
    let run = GetRun(NetworkSettings(), replacesFiles: false, clock: SystemClock.shared)
    let target = try GetTarget.all(["http://127.0.0.1:\(server.port)/a"], output: folder.file("a"))[0]
    let ended = DispatchSemaphore(value: 0)
    DispatchQueue(label: "fetch").async {
      #expect(run.fetch(target) == nil)
      ended.signal()
    }
    let connection = try server.accept()
    #expect(run.stop(limit: 120))
    #expect(ended.wait(timeout: .now() + 120) == .success)
    withExtendedLifetime(connection) {}
  }

  /// A clock on which a download's first step ends before the download exists for its maker.
  private final class EagerClock: HostClock {
    var now: HostTime { SystemClock.shared.now }

    func makeWorker(_ name: String, body: @escaping @Sendable () -> WorkerNext) -> any Worker {
      let ran = DispatchSemaphore(value: 0)
      let worker = SystemClock.shared.makeWorker(name) {
        defer { ran.signal() }
        return body()
      }
      if name == "continuo-get" { #expect(ran.wait(timeout: .now() + 120) == .success) }
      return worker
    }
  }

  @Test func downloadThatFailsAtOnceHoldsNothingUp() throws {
    let run = GetRun(NetworkSettings(), replacesFiles: false, clock: EagerClock())
    let target = try GetTarget.all(["http://127.0.0.1:1/a"], output: "/no/such/folder/a")[0]
    #expect(run.fetch(target) != nil)
    #expect(run.stop(limit: 0))
  }
}
