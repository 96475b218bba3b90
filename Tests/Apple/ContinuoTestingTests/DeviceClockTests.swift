import ContinuoTesting
import Testing

@MainActor
@Suite("The device's clock and timers", .timeLimit(.minutes(10)))
struct DeviceClockTests {
  @Test("Sleeps end at their moments, those of one moment in the order in which they began")
  func order() async {
    await withTestDevice { device in
      for (name, seconds) in [("a", 2), ("b", 1), ("c", 2), ("d", 3)] {
        Task {
          try await device.clock.sleep(for: .seconds(seconds))
          device.note("\(name) woken")
        }
      }
      await device.advance(by: .seconds(10))
      #expect(
        device.record == """
          1.000 b woken
          2.000 a woken
          2.000 c woken
          3.000 d woken
          """)
    }
  }

  @Test("What follows from a wake-up runs before time goes on, through other tasks and nonisolated functions")
  func followers() async {
    nonisolated func double(_ number: Int) async -> Int { number * 2 }
    await withTestDevice { device in
      let clock: any Clock<Duration> = device.clock
      Task {
        for number in 1...3 {
          try await clock.sleep(for: .seconds(1))
          let doubled = await double(number)
          await Task { await Task { device.note("doubled \(doubled)") }.value }.value
        }
      }
      device.schedule(after: .milliseconds(1001)) { device.note("timer") }
      await device.advance(by: .seconds(3))
      #expect(
        device.record == """
          1.000 doubled 2
          1.001 timer
          2.000 doubled 4
          3.000 doubled 6
          """)
    }
  }

  @Test(
    "A sleep ends with an error when its task is cancelled, before, during and in the middle of suspension")
  func cancellation() async {
    await withTestDevice { device in
      await device.launch()
      @MainActor func sleeper(_ name: String) -> Task<Void, Never> {
        Task {
          do {
            try await device.clock.sleep(for: .seconds(5))
            device.note("\(name) slept")
          } catch {
            device.note("\(name): \(error is CancellationError)")
          }
        }
      }
      let before = sleeper("before")
      before.cancel()
      let during = sleeper("during")
      let suspended = sleeper("suspended")
      await device.advance(by: .seconds(1))
      during.cancel()
      await device.advance(by: .seconds(1))
      await device.pressHomeButton()
      await device.advance(by: .seconds(60))
      suspended.cancel()
      await device.foreground()
      #expect(
        device.record.only("before", "during", "suspended").description == """
          0.000 before: true
          1.000 during: true
          62.000 suspended: true
          """)
    }
  }

  @Test("The clock tells virtual time, and a moment that has passed is not waited for")
  func now() async throws {
    try await withTestDevice { device in
      let start = device.clock.now
      await device.advance(by: .milliseconds(1500))
      #expect(start.duration(to: device.clock.now) == .milliseconds(1500))
      #expect(device.now == .milliseconds(1500))
      try await device.clock.sleep(until: start, tolerance: nil)
      try await device.clock.sleep(for: .zero)
      await device.advance(to: .seconds(1))
      #expect(device.now == .milliseconds(1500))
    }
  }

  @Test("A scheduled call can be taken back")
  func takingBack() async {
    await withTestDevice { device in
      let call = device.schedule(after: .seconds(1)) { device.note("taken back") }
      device.schedule(after: .seconds(2)) { device.note("made") }
      call.cancel()
      await device.advance(by: .seconds(10))
      call.cancel()
      #expect(device.record == "2.000 made")
    }
  }

  @Test("What sleeps when the test ends is cancelled, so that no task is left")
  func endOfTest() async {
    var sleeper: Task<Bool, Never>?
    await withTestDevice { device in
      sleeper = Task {
        do { try await device.clock.sleep(for: .seconds(1000)) } catch { return true }
        return false
      }
      await device.advance(by: .seconds(1))
    }
    #expect(await sleeper?.value == true)
  }
}
