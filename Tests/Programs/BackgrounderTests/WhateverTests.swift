import ContinuoTesting
import Foundation
import PulseTestSupport
import Synchronization
import Testing

@testable import Backgrounder

extension BackgrounderTests {
  @Suite struct WhateverTests {
    /// The whole story: numbers in front, numbers with the remaining time in the background, nothing after the
    /// expiration, numbers again in front, and a second time in the background with a task of its own.
    @MainActor @Test func tasksExpireAndAreBegunAgain() async throws {
      try await withPhone([
        "whatever", "--background-time", "3.5", "--expiration-warning", "2", "--script",
        "tap@0 home@1.25 foreground@4 home@5.25 quit@8",
      ]) { phone in
        #expect(
          phone.device.record.without("call", "home", "foreground", "state inactive") == """
            0.000 launch
            0.000 state active
            0.000 task "Fibonacci" begun
            0.500 | Result: Position 2 = 1
            1.000 | Result: Position 3 = 2
            1.250 state background
            1.500 | App is backgrounded. Next number = Position 4 = 3
            1.500 | Background time remaining = 3.2 seconds
            2.000 | App is backgrounded. Next number = Position 5 = 5
            2.000 | Background time remaining = 2.8 seconds
            2.500 | App is backgrounded. Next number = Position 6 = 8
            2.500 | Background time remaining = 2.2 seconds
            2.750 task "Fibonacci" expires
            2.750 | Background task ended.
            2.750 task "Fibonacci" ended
            2.750 state suspended
            4.000 task "Fibonacci" begun
            4.000 state active
            4.000 | Result: Position 7 = 13
            4.500 | Result: Position 8 = 21
            5.000 | Result: Position 9 = 34
            5.250 state background
            5.500 | App is backgrounded. Next number = Position 10 = 55
            5.500 | Background time remaining = 3.2 seconds
            6.000 | App is backgrounded. Next number = Position 11 = 89
            6.000 | Background time remaining = 2.8 seconds
            6.500 | App is backgrounded. Next number = Position 12 = 144
            6.500 | Background time remaining = 2.2 seconds
            6.750 task "Fibonacci" expires
            6.750 | Background task ended.
            6.750 task "Fibonacci" ended
            6.750 state suspended
            """)
      }
    }

    /// A calculation that is stopped in time leaves no task behind.
    @MainActor @Test func stoppingEndsTheTask() async throws {
      try await withPhone([
        "whatever", "--script", "tap@0 tap@0.8 home@1 foreground@2 tap@3 quit@3.8",
      ]) { phone in
        #expect(
          phone.device.record.only("|", "task", "state background", "state suspended", "state active") == """
            0.000 state active
            0.000 task "Fibonacci" begun
            0.500 | Result: Position 2 = 1
            0.800 | Background task ended.
            0.800 task "Fibonacci" ended
            1.000 state background
            1.000 state suspended
            2.000 state active
            3.000 task "Fibonacci" begun
            3.500 | Result: Position 2 = 1
            """)
      }
    }

    @MainActor @Test func anInactiveApplicationShowsNoNumbers() async throws {
      try await withPhone(["whatever", "--script", "tap@0 call@0.7 hangup@2.2 quit@2.8"]) { phone in
        let numbers = phone.lines.filter { $0.contains("Position") }
        #expect(numbers == ["Result: Position 2 = 1", "Result: Position 6 = 8"])
        // The task of the calculation goes on too: no other one is begun.
        #expect(phone.device.record.only("task").entries.map(\.text) == ["task \"Fibonacci\" begun"])
      }
    }

    /// At 38 digits, which a `Decimal` has.
    @MainActor @Test func theNumbersStartOver() async throws {
      try await withPhone(["whatever", "--script", "tap@0 quit@93"]) { phone in
        let numbers = phone.lines.map { $0.replacing("Result: Position ", with: "") }
        let start = try #require(numbers.firstIndex(of: "1 = 1"))
        #expect(numbers[start - 1] == "183 = 78569350599398894027251472817058687522")
        #expect(phone.device.record.moments(of: "| Result: Position 1 = 1") == [.milliseconds(91_500)])
        #expect(numbers[(start + 1)...].prefix(2) == ["2 = 1", "3 = 2"])
      }
    }

    /// A screen that is gone wakes up no more, and is told of nothing.
    @MainActor @Test func aScreenThatIsGoneDoesNothing() async throws {
      try await withTestDevice { device in
        await device.launch()
        @MainActor func wait(for what: Comment, _ condition: @MainActor () -> Bool) async throws {
          let end = ContinuousClock.now + .seconds(120)
          while !condition(), ContinuousClock.now < end {
            await device.advance(by: .zero)
            try await Task.sleep(for: .milliseconds(1))
          }
          #expect(condition(), what)
        }
        let clock = CountingClock(base: device.clock)
        var parts = ScreenParts(work: 1)
        parts.clock = clock
        parts.print = { _ in }
        var numbers: WhateverScreen? = WhateverScreen(parts)
        numbers?.show()
        numbers?.buttonTapped()
        try await wait(for: "a sleep between two numbers") { clock.sleeps.value == 1 }
        numbers = nil
        try await wait(for: "the end of the sleep") { clock.sleeps.value == 0 }

        let notices = Counter()
        var observer: ObservingScreen? = ObservingScreen(parts)
        observer?.notices = notices
        observer?.show()
        await device.beginInterruption()
        await device.endInterruption(shouldResume: false)
        #expect(notices.value == 1)
        observer = nil
        await device.beginInterruption()
        await device.endInterruption(shouldResume: false)
        #expect(notices.value == 1)
      }
    }

    private final class ObservingScreen: Screen {
      var notices: Counter?
      override func viewDidLoad() {
        observe(UIApplication.didBecomeActiveNotification) { [notices] _ in notices?.add(1) }
      }
    }

    private final class Counter: Sendable {
      private let count = Atomic(0)
      var value: Int { count.load(ordering: .sequentiallyConsistent) }
      func add(_ number: Int) { count.add(number, ordering: .sequentiallyConsistent) }
    }

    /// A device's clock that counts the sleeps in progress.
    private struct CountingClock: Clock {
      let base: DeviceClock
      let sleeps = Counter()
      var now: DeviceClock.Instant { base.now }
      var minimumResolution: Duration { base.minimumResolution }

      func sleep(until deadline: DeviceClock.Instant, tolerance: Duration?) async throws {
        sleeps.add(1)
        defer { sleeps.add(-1) }
        try await base.sleep(until: deadline, tolerance: tolerance)
      }
    }

    /// The program: during a call the screen does not receive the taps of the system.
    @Test func aTapOnAnInactiveApplicationDoesNothing() async throws {
      let run = try Run(["whatever", "--script", "-"])
      run.type("call")
      try await run.printed("interruption began")
      run.type("tap")
      try await run.printed("the application is not active")
      run.type("hangup")
      try await run.printed("state active", times: 2)
      run.type("tap")
      try await run.line { $0.hasPrefix("Result: Position 2 = 1") }
      let transcript = try await run.quit()
      #expect(
        transcript.system == Transcript.launch + [
          "> call", "> call willResignActive", "> state inactive", "> interruption began", "> tap",
          "> the application is not active", "> hangup", "> interruption ended, sound should resume",
          "> call didBecomeActive", "> state active", "> tap", "> task 1 \"Fibonacci\" begun", "> quit",
        ])
    }

    /// The program: the main thread stands still while suspended. Then each of the other presses, as the application is told
    /// of them.
    @Test func everyPressArrives() async throws {
      let run = try Run([
        "whatever", "--background-time", "3", "--expiration-warning", "1", "--script", "-",
      ])
      run.type("tap")
      try await run.line { $0.hasPrefix("Result: Position 2 = 1") }
      run.type("home")
      try await run.line { $0.hasPrefix("App is backgrounded. Next number = Position ") }
      try await run.printed("state suspended")
      // Longer than a number takes.
      try await Task.sleep(for: .milliseconds(700))
      run.type("foreground")
      try await run.printed("state active", times: 2)
      let count = run.log.value.output.count { $0.hasPrefix("Result: ") }
      try await run.line(number: count + 1) { $0.hasPrefix("Result: ") }
      run.type("tap")
      try await run.printed("task 2 \"Fibonacci\" ended")
      run.type("nothing")
      run.type("lock unlock call hangup memory terminate tap launch")
      let transcript = try await run.quit()

      let task = "> task 1 \"Fibonacci\""
      var expected = Transcript.launch + ["> tap", "\(task) begun"] + Transcript.home
      expected += ["> state background"] + ["expires", "ended", "has expired"].map { "\(task) \($0)" }
      expected += ["> state suspended"] + Transcript.foreground
      expected += [
        "> task 2 \"Fibonacci\" begun", "> state active", "> tap", "> task 2 \"Fibonacci\" ended", "> lock",
      ]
      expected += Transcript.home.dropFirst()
      expected += ["> state background", "> state suspended", "> unlock"]
      expected += Transcript.foreground.dropFirst()
      expected += [
        "> state active", "> call", "> call willResignActive", "> state inactive", "> interruption began",
        "> hangup", "> interruption ended, sound should resume", "> call didBecomeActive", "> state active",
        "> memory", "> call didReceiveMemoryWarning", "> terminate", "> call willTerminate",
        "> state notRunning", "> terminated", "> tap", "> the application is not active",
      ]
      expected += Transcript.launch
      expected.append("> quit")
      #expect(transcript.system == expected)
      #expect(try transcript.application(after: "> state suspended", before: "> foreground").isEmpty)
      #expect(transcript.errors == ["Backgrounder: unknown word \"nothing\""])
    }
  }
}
