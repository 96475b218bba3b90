import ContinuoTesting
import Dispatch
import Foundation
import Testing

/// Background tasks, the budget and the watchdog, sentence by sentence.
@MainActor
@Suite("Life cycle: background tasks and the watchdog", .timeLimit(.minutes(10)))
struct BackgroundTaskTests {
  @Test("Any number of tasks; each begin needs its end")
  func everyBeginNeedsItsEnd() async {
    await withTestDevice { device in
      let application = device.application
      let app = await device.launchApp()
      let tasks = (0..<20).map { application.beginBackgroundTask(withName: "task \($0)") }
      #expect(Set(tasks).count == 20 && !tasks.contains(.invalid))
      await device.pressHomeButton()
      for (number, task) in tasks.enumerated().reversed() {
        #expect(device.state == .background)
        application.endBackgroundTask(task)
        await device.advance(by: .seconds(1))
        #expect(device.record.contains("task \"task \(number)\" ended"))
      }
      #expect(device.record.moments(of: "state suspended") == [.seconds(20)])
      withExtendedLifetime(app) {}
    }
  }

  @Test("Ending a task twice, or in its handler, or after the end of the application, is harmless")
  func endingIsHarmless() async {
    await withTestDevice { device in
      let application = device.application
      let app = await device.launchApp()
      let task = Box(UIBackgroundTaskIdentifier.invalid)
      task.value = application.beginBackgroundTask(withName: "upload") {
        application.endBackgroundTask(task.value)
        application.endBackgroundTask(task.value)
      }
      await device.pressHomeButton()
      await device.advance(by: .seconds(200))
      #expect(device.state == .suspended && device.termination == nil)
      application.endBackgroundTask(task.value)
      await device.terminate()
      application.endBackgroundTask(task.value)
      #expect(device.record.only("refused").entries.count == 3)
      withExtendedLifetime(app) {}
    }
  }

  @Test("An expiration handler may run a run loop in a mode of its own, which serves nothing else")
  func privateRunLoopMode() async {
    await withTestDevice { device in
      let application = device.application
      let app = await device.launchApp()
      let mode = RunLoop.Mode("org.continuo.private")
      let fired = Box<[RunLoop.Mode]>([])
      let task = Box(UIBackgroundTaskIdentifier.invalid)
      task.value = application.beginBackgroundTask(withName: "upload") {
        let timers = [RunLoop.Mode.default, mode].map { mode in
          Foundation.Timer(timeInterval: 0.01, repeats: false) { _ in
            MainActor.assumeIsolated { fired.value.append(mode) }
          }
        }
        for (timer, mode) in zip(timers, [.default, mode]) { RunLoop.current.add(timer, forMode: mode) }
        let end = Date(timeIntervalSinceNow: 120)
        while fired.value.isEmpty, Date() < end { _ = RunLoop.current.run(mode: mode, before: end) }
        for timer in timers { timer.invalidate() }
        application.endBackgroundTask(task.value)
      }
      await device.pressHomeButton()
      await device.advance(by: .seconds(200))
      #expect(fired.value == [mode])
      #expect(device.state == .suspended && device.termination == nil)
      withExtendedLifetime(app) {}
    }
  }

  @Test("No task can be had by an application that is suspended or does not run")
  func invalid() async {
    await withTestDevice { device in
      #expect(device.application.beginBackgroundTask() == .invalid)
      let app = await device.launchApp()
      await device.pressHomeButton()
      #expect(device.state == .suspended)
      await device.advance(by: .seconds(device.system.settings.suspensionGrace))
      #expect(device.application.beginBackgroundTask() == .invalid)
      withExtendedLifetime(app) {}
    }
  }

  /// Listing 1 of "Extending Your App's Background Execution Time", with a queue that takes its time.
  @Test("A background queue that applicationDidEnterBackground has started gets its task")
  func lateRequest() async {
    await withTestDevice { device in
      let app = await device.launchApp()
      let application = device.application
      let gate = DispatchSemaphore(value: 0)
      let (tasks, continuation) = AsyncStream.makeStream(of: UIBackgroundTaskIdentifier.self)
      app.onEnterBackground = {
        DispatchQueue.global().async {
          gate.wait()
          continuation.yield(application.beginBackgroundTask(withName: "Finish Network Tasks"))
        }
      }
      await device.pressHomeButton()
      gate.signal()
      var iterator = tasks.makeAsyncIterator()
      let task = await iterator.next() ?? .invalid
      #expect(task != .invalid)
      await device.advance(by: .seconds(10))
      #expect(device.state == .background)
      application.endBackgroundTask(task)
      await device.advance(by: .seconds(1))
      #expect(device.state == .suspended && device.termination == nil)
      withExtendedLifetime(app) {}
    }
  }

  @Test("backgroundTimeRemaining is without bound in front and counts down from the budget in the background")
  func remaining() async {
    await withTestDevice { device in
      let application = device.application
      let app = await device.launchApp()
      let task = application.beginBackgroundTask(withName: "count")
      #expect(application.backgroundTimeRemaining == .greatestFiniteMagnitude)
      await device.pressHomeButton()
      for second in 0..<170 {
        #expect(application.backgroundTimeRemaining == Double(180 - second))
        await device.advance(by: .seconds(1))
      }
      await device.foreground()
      #expect(application.backgroundTimeRemaining == .greatestFiniteMagnitude)
      await device.pressHomeButton()
      #expect(application.backgroundTimeRemaining == 180)
      application.endBackgroundTask(task)
      withExtendedLifetime(app) {}
    }
  }

  @Test("The budget is a setting: 30 s as on later systems")
  func budget() async {
    var settings = LifecycleSettings()
    settings.backgroundTime = 30
    await withTestDevice(settings: settings) { device in
      let app = await device.launchApp()
      _ = device.application.beginBackgroundTask(withName: "upload")
      await device.pressHomeButton()
      #expect(device.application.backgroundTimeRemaining == 30)
      await device.advance(by: .seconds(30))
      #expect(device.termination?.code == .backgroundTask)
      withExtendedLifetime(app) {}
    }
  }

  @Test("backgroundTimeRemaining is without bound while audio keeps the application running")
  func remainingWithAudio() async {
    await withTestDevice(modes: [.audio]) { device in
      let app = await device.launchApp()
      let player = device.play([device.song("a", duration: .seconds(60))])
      await device.pressHomeButton()
      await device.advance(by: .seconds(30))
      #expect(device.application.backgroundTimeRemaining == .greatestFiniteMagnitude)
      let task = device.application.beginBackgroundTask(withName: "after the music")
      player.pause()
      await device.advance(by: .seconds(10))
      #expect(device.application.backgroundTimeRemaining <= 180)
      #expect(device.application.backgroundTimeRemaining > 0)
      device.application.endBackgroundTask(task)
      withExtendedLifetime(app) {}
    }
  }

  @Test("Expiration handlers run when 5 s remain, one after the other in the order of beginning")
  func expiration() async {
    await withTestDevice { device in
      let application = device.application
      let app = await device.launchApp()
      for name in ["a", "b", "c"] {
        let task = Box(UIBackgroundTaskIdentifier.invalid)
        task.value = application.beginBackgroundTask(withName: name) {
          device.note("handler of \(name), \(application.backgroundTimeRemaining) s left")
          device.spend(.seconds(1))
          application.endBackgroundTask(task.value)
        }
      }
      await device.pressHomeButton()
      await device.advance(by: .seconds(200))
      #expect(
        device.record.since(.seconds(2)).only("task", "handler", "state", "the").description == """
          176.000 task "a" expires
          176.000 handler of a, 5.0 s left
          177.000 task "a" ended
          177.000 the expiration handler of task "a" returned after 1.000 s
          177.000 task "b" expires
          177.000 handler of b, 4.0 s left
          178.000 task "b" ended
          178.000 the expiration handler of task "b" returned after 1.000 s
          178.000 task "c" expires
          178.000 handler of c, 3.0 s left
          179.000 task "c" ended
          179.000 the expiration handler of task "c" returned after 1.000 s
          179.000 state suspended
          """)
      withExtendedLifetime(app) {}
    }
  }

  @Test("A task still open at 0 s: terminated with 0x2182bad2, named, and no sound playing")
  func openAtZero() async throws {
    try await withTestDevice { device in
      let app = await device.launchApp()
      _ = device.play([device.song("a", duration: .seconds(600), sampleRate: 8000)])
      _ = device.application.beginBackgroundTask(withName: "upload") { device.note("handler of upload") }
      let other = device.application.beginBackgroundTask(withName: "ended in time")
      await device.pressHomeButton()
      await device.advance(by: .seconds(100))
      device.application.endBackgroundTask(other)
      await device.advance(by: .seconds(100))
      #expect(device.record.contains("handler of upload"))
      let report = try #require(device.termination)
      #expect(report.code == .backgroundTask)
      #expect(report.code.rawValue == 0x2182_bad2)
      guard case .tasks(let culprits) = report.culprit else {
        Issue.record("\(report)")
        return
      }
      #expect(culprits.map(\.name) == ["upload"])
      #expect(report.description.contains("\"upload\"") && !report.description.contains("ended in time"))
      #expect(device.state == .notRunning)
      #expect(
        device.record.only("terminated").description
          == "181.000 terminated 0x2182bad2: task \"upload\" not ended after 180.000 s")
      device.expectSilence(from: .seconds(181))
      withExtendedLifetime(app) {}
    }
  }

  @Test("didEnterBackground of 4.9 s is allowed; of 6 s it is terminated with 0x8badf00d")
  func slowDidEnterBackground() async throws {
    await withTestDevice { device in
      let app = await device.launchApp()
      app.onEnterBackground = { device.spend(.milliseconds(4900)) }
      await device.pressHomeButton()
      #expect(device.state == .suspended && device.termination == nil)
      #expect(device.record.contains("applicationDidEnterBackground returned after 4.900 s"))
    }
    try await withTestDevice { device in
      let app = await device.launchApp()
      _ = device.play([device.song("a", duration: .seconds(60))])
      await device.advance(by: .seconds(1))
      app.onEnterBackground = { device.spend(.seconds(6)) }
      await device.pressHomeButton()
      let report = try #require(device.termination)
      #expect(report.code == .watchdog && report.code.rawValue == 0x8bad_f00d)
      #expect(report.culprit == .callback(.didEnterBackground))
      #expect(report.took == 5 && report.allowed == 5)
      #expect(device.record.moments(of: "state notRunning") == [.seconds(7)])
      await device.advance(by: .seconds(10))
      device.expectSilence(from: .seconds(7))
      #expect(device.heard.passages.map(\.frames) == [0..<(6 * 44_100)])
    }
  }

  @Test("An expiration handler that never returns: terminated with 0x8badf00d after 5 s, naming the task")
  func expirationHandlerHangs() async throws {
    try await withTestDevice { device in
      let app = await device.launchApp()
      _ = device.play([device.song("a", duration: .seconds(600), sampleRate: 8000)])
      _ = device.application.beginBackgroundTask(withName: "upload") { device.hang() }
      await device.pressHomeButton()
      await device.advance(by: .seconds(300))
      let report = try #require(device.termination)
      #expect(report.code == .watchdog)
      guard case .expirationHandler(let task) = report.culprit else {
        Issue.record("\(report)")
        return
      }
      #expect(task.name == "upload")
      #expect(report.description.contains("\"upload\""))
      #expect(device.record.moments(of: "state notRunning") == [.seconds(181)])
      device.expectSilence(from: .seconds(181))
      withExtendedLifetime(app) {}
    }
  }

  @Test("willTerminate has 5 s too")
  func slowWillTerminate() async throws {
    try await withTestDevice { device in
      let app = await device.launchApp()
      app.onTerminate = { device.hang() }
      await device.terminate()
      let report = try #require(device.termination)
      #expect(report.code == .watchdog && report.culprit == .callback(.willTerminate))
      #expect(device.record.moments(of: "state notRunning") == [.seconds(6)])
    }
  }

  @Test("A report a person can read: what, code, how long, which task by name")
  func report() async throws {
    try await withTestDevice { device in
      let app = await device.launchApp()
      _ = device.application.beginBackgroundTask(withName: "upload")
      await device.pressHomeButton()
      await device.advance(by: .seconds(180))
      let lines = try #require(device.termination).description.split(separator: "\n")
      #expect(lines.first == "Application terminated: 0x2182bad2")
      #expect(lines.contains { $0.contains("upload") && $0.contains("180.00 s") })
      #expect(lines.contains { $0.contains("State: background") })
      withExtendedLifetime(app) {}
    }
  }

  @Test("The system side stays up and launches the application again")
  func launchAfterTermination() async {
    await withTestDevice { device in
      let app = await device.launchApp()
      app.onEnterBackground = { device.hang() }
      await device.pressHomeButton()
      #expect(device.state == .notRunning)
      app.onEnterBackground = nil
      let moment = device.now
      await device.launch()
      #expect(device.state == .active)
      #expect(device.record.since(moment).contains("delegate didFinishLaunching"))
      await device.pressHomeButton()
      #expect(device.state == .suspended)
    }
  }
}

/// A variable that a handler and the code around it share, on the main actor.
@MainActor
final class Box<Value> {
  var value: Value
  init(_ value: Value) { self.value = value }
}

extension TestDevice {
  /// A queue of these songs, playing, that is watched. Music, which may sound in the background.
  func play(_ songs: [Song]) -> AVQueuePlayer {
    playsMusic()
    let player = AVQueuePlayer(items: songs.map { AVPlayerItem(url: $0.url) })
    watch(player)
    player.play()
    return player
  }

  /// Sets the audio session's category to `playback`.
  func playsMusic() {
    do {
      try AVAudioSession.sharedInstance().setCategory(.playback)
    } catch {
      Issue.record(error)
    }
  }

  /// Nothing is heard at that moment or after it.
  func expectSilence(from moment: Duration, sourceLocation: SourceLocation = #_sourceLocation) {
    let late = heard.stretches.filter { $0.passage != nil && $0.end > moment + .milliseconds(1) }
    #expect(late.isEmpty, sourceLocation: sourceLocation)
  }
}
