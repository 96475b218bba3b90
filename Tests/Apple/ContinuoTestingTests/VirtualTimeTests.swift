import ContinuoTesting
import TestSupport
import Testing

/// "Virtual time": no time, and a fixed order.
@MainActor
@Suite("Life cycle: virtual time", .timeLimit(.minutes(10)))
struct VirtualTimeTests {
  /// 180 s of background time, with the expiration at 175 s and a task of the application that looks at the clock
  /// every second.
  private func uploadThatTakesTooLong() async -> DeviceRecord {
    await withTestDevice { device in
      let app = ObservantApp(on: device)
      let application = device.application
      app.onEnterBackground = {
        let task = Box(UIBackgroundTaskIdentifier.invalid)
        let upload = Task {
          while true {
            try await device.clock.sleep(for: .seconds(1))
            device.note("\(application.backgroundTimeRemaining) s left")
          }
        }
        task.value = application.beginBackgroundTask(withName: "upload") {
          upload.cancel()
          application.endBackgroundTask(task.value)
        }
      }
      await device.launch(app)
      await device.pressHomeButton()
      await device.advance(by: .seconds(180))
      return device.record
    }
  }

  @Test(
    "180 s of background time with an expiration at 175 s: the same in each run")
  func manyRuns() async {
    let first = await uploadThatTakesTooLong()
    #expect(first.moments(of: "task \"upload\" expires") == [.seconds(175)])
    #expect(first.moments(of: "state suspended") == [.seconds(175)])
    #expect(first.entries.count(where: { $0.text.hasSuffix("s left") }) >= 174)
    for run in 0..<Rounds.count(100) {
      let record = await uploadThatTakesTooLong()
      guard record == first else {
        Issue.record("run \(run) differs:\n\(record)\nfrom the first:\n\(first)")
        return
      }
    }
  }

  @Test("A test presses the button, advances 175 s and sees the expiration handler run")
  func expiration() async {
    await withTestDevice { device in
      await device.launch()
      _ = device.application.beginBackgroundTask(withName: "upload") { device.note("expired") }
      await device.pressHomeButton()
      await device.advance(by: .milliseconds(174_999))
      #expect(!device.record.contains("expired"))
      await device.advance(by: .milliseconds(1))
      #expect(device.record.moments(of: "expired") == [.seconds(175)])
    }
  }

  @Test("Music, tasks and timers together give the same record each time")
  func music() async {
    func run() async -> DeviceRecord {
      await withTestDevice(modes: [.audio], output: .starving(from: .seconds(2), until: .seconds(3))) {
        device in
        let songs = ["a", "b"].map { device.song($0, duration: .seconds(4), sampleRate: 8000) }
        await device.launch()
        _ = device.play(songs)
        for number in 1...3 {
          Task {
            while true {
              try await device.clock.sleep(for: .milliseconds(500))
              device.note("task \(number)")
            }
          }
        }
        await device.advance(by: .seconds(1))
        await device.pressHomeButton()
        await device.advance(by: .seconds(20))
        await device.foreground()
        await device.advance(by: .seconds(2))
        return device.record
      }
    }
    let first = await run()
    #expect(first.entries.count > 30)
    for _ in 0..<20 {
      let next = await run()
      #expect(next == first, "\(next.entries.difference(from: first.entries))")
    }
  }
}
