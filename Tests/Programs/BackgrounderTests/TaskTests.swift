import ContinuoTesting
import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import Backgrounder

extension BackgrounderTests {
  /// The screens that finish something in the background.
  @Suite struct TaskTests {
    /// Lets the parts of an upload be sent one by one. Each of its calls but `isSending` is for one thread.
    private final class Gate: Sendable {
      private let begun = Atomic(0)
      private let permits = DispatchSemaphore(value: 0)

      /// Sends a part: blocks until it may be sent.
      func pass() {
        begun.add(1, ordering: .sequentiallyConsistent)
        permits.wait()
      }

      /// How many parts have been begun.
      var count: Int { begun.load(ordering: .sequentiallyConsistent) }

      /// Lets so many parts be sent.
      func open(_ count: Int) { for _ in 0..<count { permits.signal() } }
    }

    private static let upload = "task \"Finish Network Tasks\""

    /// Leaves the front four times, twice by each button.
    @MainActor @Test func anUploadIsFinishedInTheBackground() async throws {
      let gate = Gate()
      try await withPhone(["upload", "--press", "tap@0"], block: { _ in gate.pass() }) { phone in
        try await phone.wait(for: "the first part") { gate.count == 1 }
        try await phone.play(
          "home@1 foreground@2 home@3 foreground@4 lock@5 unlock@6 lock@7")
        gate.open(10)
        // The thread of the upload ends the task, and suspends the application.
        try await phone.wait(for: "the suspension") { phone.device.state == .suspended }
        #expect(
          phone.device.record.only("|", "task", "state background", "state suspended") == """
            0.000 \(Self.upload) begun
            1.000 state background
            3.000 state background
            5.000 state background
            7.000 state background
            7.000 | Sent part 1 of 10
            7.000 | Sent part 2 of 10
            7.000 | Sent part 3 of 10
            7.000 | Sent part 4 of 10
            7.000 | Sent part 5 of 10
            7.000 | Sent part 6 of 10
            7.000 | Sent part 7 of 10
            7.000 | Sent part 8 of 10
            7.000 | Sent part 9 of 10
            7.000 | Sent part 10 of 10
            7.000 | Upload finished
            7.000 \(Self.upload) ended
            7.000 state suspended
            """)
      }
    }

    /// The task is requested on the queue that sends, and so not before the upload of an earlier tap is over.
    @MainActor @Test func anUploadRequestsItsTaskOnItsQueue() async throws {
      let gate = Gate()
      try await withPhone(["upload", "--press", "tap@0"], block: { _ in gate.pass() }) { phone in
        try await phone.wait(for: "the first part") { gate.count == 1 }
        await phone.perform(.tap)
        gate.open(10)
        try await phone.wait(for: "the second upload") { gate.count == 11 }
        #expect(
          phone.device.record.only("task") == """
            0.000 \(Self.upload) begun
            0.000 \(Self.upload) ended
            0.000 \(Self.upload) begun
            """)
        gate.open(10)
        try await phone.wait(for: "its end") { phone.lines.count { $0 == "Upload finished" } == 2 }
      }
    }

    @MainActor @Test func anUploadThatTakesTooLongIsStopped() async throws {
      let gate = Gate()
      try await withPhone(["upload", "--press", "tap@0"], block: { _ in gate.pass() }) { phone in
        gate.open(3)
        try await phone.wait(for: "the fourth part") { gate.count == 4 }
        try await phone.play("home@1 quit@500")
        gate.open(1)
        try await phone.wait(for: "| Upload stopped before part 4 of 10")
        #expect(
          phone.device.record.only("|", "task", "state background", "state suspended") == """
            0.000 \(Self.upload) begun
            0.000 | Sent part 1 of 10
            0.000 | Sent part 2 of 10
            0.000 | Sent part 3 of 10
            1.000 state background
            176.000 \(Self.upload) expires
            176.000 | Out of time
            176.000 \(Self.upload) ended
            176.000 state suspended
            500.000 | Upload stopped before part 4 of 10
            """)
        #expect(phone.device.termination == nil)
      }
    }

    /// A part that was sent when the time expired is reported before that, or not at all.
    @MainActor @Test func noPartIsReportedAfterTheTimeIsOver() async throws {
      let gate = Gate()
      let isReporting = Atomic(false)
      let lines = Mutex<[String]>([])
      let isOutOfTime = DispatchSemaphore(value: 0)
      try await withTestDevice { device in
        await device.launch()
        var parts = ScreenParts(work: 1)
        parts.block = { _ in gate.pass() }
        parts.print = { line in
          if line == "Sent part 2 of 10" {
            isReporting.store(true, ordering: .sequentiallyConsistent)
            // Lets the expiration handler overtake this line, if it can.
            _ = isOutOfTime.wait(timeout: .now() + 0.3)
          }
          lines.withLock { $0.append(line) }
          if line == "Out of time" { isOutOfTime.signal() }
        }
        UploadScreen(parts).buttonTapped()
        gate.open(2)
        while !isReporting.load(ordering: .sequentiallyConsistent) {
          try await Task.sleep(for: .milliseconds(1))
        }
        await device.pressHomeButton()
        await device.advance(by: .seconds(200))
        gate.open(1)
        while lines.withLock({ $0.count }) < 4 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(
          lines.withLock { $0 } == [
            "Sent part 1 of 10", "Sent part 2 of 10", "Out of time", "Upload stopped before part 3 of 10",
          ])
      }
    }

    @MainActor @Test func downloadsGoOnByANotificationAlone() async throws {
      try await withPhone(["download", "--work", "40", "--script", "tap@0"]) { phone in
        phone.device.application.delegate = nil
        try await phone.play("home@15 quit@100")
        #expect(
          phone.device.record.since(.seconds(1)).without("call") == """
            10.000 | Downloaded one.mp3
            15.000 home
            15.000 state inactive
            15.000 task "Download" begun
            15.000 state background
            20.000 | Downloaded two.mp3
            30.000 | Downloaded three.mp3
            40.000 | Downloaded four.mp3
            40.000 | No more downloads
            40.000 task "Download" ended
            40.000 state suspended
            """)
      }
    }

    /// Downloads that are not done in time stand still with the application, and go on in front.
    @MainActor @Test func downloadsStandStillWhenTheirTimeIsOver() async throws {
      try await withPhone([
        "download", "--work", "400", "--script", "tap@0 home@50 foreground@1000 quit@2000",
      ]) { phone in
        #expect(
          phone.device.record.since(.seconds(1)).only("|", "task", "state", "refused") == """
            50.000 state inactive
            50.000 task "Download" begun
            50.000 state background
            100.000 | Downloaded one.mp3
            200.000 | Downloaded two.mp3
            225.000 task "Download" expires
            225.000 | Out of time, 2 downloads left
            225.000 task "Download" ended
            225.000 state suspended
            1000.000 state inactive
            1000.000 state active
            1000.000 | Downloaded three.mp3
            1100.000 | Downloaded four.mp3
            1100.000 | No more downloads
            """)
      }
    }

    /// With nothing to do in the background it asks for nothing.
    @MainActor @Test func finishedDownloadsAskForNoTime() async throws {
      try await withPhone(["download", "--work", "4", "--script", "tap@0 home@5 quit@6"]) { phone in
        #expect(
          phone.device.record.since(.seconds(4)).only("|", "task", "state", "refused") == """
            4.000 | Downloaded four.mp3
            4.000 | No more downloads
            5.000 state inactive
            5.000 state background
            5.000 state suspended
            """)
      }
    }

    @MainActor @Test func theServiceHearsOfTheEndOfTheSession() async throws {
      try await withPhone(["session", "--work", "20", "--script", "home@1 quit@100"]) { phone in
        #expect(
          phone.device.record.since(.seconds(1)) == """
            1.000 home
            1.000 call applicationWillResignActive
            1.000 state inactive
            1.000 call applicationDidEnterBackground
            1.000 | Application entered background state.
            1.000 task "End of session" begun
            1.000 state background
            21.000 | Session ended
            21.000 task "End of session" ended
            21.000 state suspended
            """)
        #expect(phone.lines.first == "Session begun")
        // The next session ends like the first.
        try await phone.play("foreground@110 home@120 quit@200")
        #expect(
          phone.device.record.since(.seconds(120)).only("| Session", "task") == """
            120.000 task "End of session" begun
            140.000 | Session ended
            140.000 task "End of session" ended
            """)
      }
    }

    /// With a second or less there is no point in calling it.
    @MainActor @Test func theServiceIsNotCalledWithoutTime() async throws {
      try await withPhone([
        "session", "--background-time", "1", "--expiration-warning", "0.1", "--script", "home@1 quit@10",
      ]) { phone in
        #expect(
          phone.device.record.since(.seconds(1)).only("|", "task", "state") == """
            1.000 state inactive
            1.000 | Application entered background state.
            1.000 task "End of session" begun
            1.000 state background
            1.000 task "End of session" ended
            1.000 state suspended
            """)
      }
    }
  }
}
