import ContinuoTesting
import Foundation
import TestSupport
import Testing

/// "The home button and audio", bullet by bullet, to the sample.
@MainActor
@Suite("Life cycle: the home button and audio", .timeLimit(.minutes(10)))
struct HomeButtonAudioTests {
  @Test(
    "With the audio mode: not a sample missing, repeated or delayed; the observer goes on; state background")
  func withMode() async {
    await withTestDevice(modes: [.audio]) { device in
      let app = await device.launchApp()
      let songs = [device.song("a", duration: .seconds(3)), device.song("b", duration: .seconds(3))]
      device.playsMusic()
      let player = AVQueuePlayer(items: songs.map { AVPlayerItem(url: $0.url) })
      var states: [ApplicationState] = []
      var times: [Int64] = []
      let observer = player.addPeriodicTimeObserver(
        forInterval: CMTime(value: 1, timescale: 100), queue: .main
      ) { time in
        MainActor.assumeIsolated {
          times.append(CMTimeConvertScale(time, timescale: 100, method: .default).value)
          states.append(device.state)
        }
      }
      player.play()
      await device.advance(by: .seconds(2))
      await device.pressHomeButton()
      await device.advance(by: .seconds(10))
      #expect(device.heard.passages == songs.map(\.whole))
      #expect(device.heard.silences.isEmpty)
      #expect(times == Array(0..<300) + Array(0..<300))
      #expect(states.firstIndex(of: .background) == 200 || states.firstIndex(of: .background) == 201)
      #expect(states.last == .background)
      // The end of the queue is the end of what kept it running.
      #expect(device.record.moments(of: "state suspended") == [.seconds(7)])
      withExtendedLifetime((app, observer)) {}
    }
  }

  @Test("Without it: silence at suspension, nothing runs, position stands still; then the very next frame")
  func withoutMode() async {
    await withTestDevice { device in
      let app = await device.launchApp()
      let songs = [device.song("a", duration: .seconds(3)), device.song("b", duration: .seconds(3))]
      let player = device.play(songs)
      await device.advance(by: .milliseconds(2345))
      await device.pressHomeButton()
      #expect(device.state == .suspended)
      let position = player.currentTime()
      await device.advance(by: .seconds(60))
      #expect(player.currentTime() == position)
      #expect(device.record.since(.milliseconds(3346)).entries.isEmpty)
      await device.foreground()
      await device.advance(by: .seconds(10))
      #expect(device.heard.passages == songs.map(\.whole))
      #expect(device.heard.silences.count == 1)
      let silence = device.heard.silences.first
      #expect((silence?.end ?? .zero) - (silence?.start ?? .zero) >= .seconds(60))
      // The steps go on where they stopped: no step is missing or comes twice.
      #expect(
        device.record.only("time").entries.map(\.text) == [
          "times 0.00…2.34 (235 steps)", "times 2.35…2.99 (65 steps)", "times 0.00…2.99 (300 steps)",
        ])
      withExtendedLifetime(app) {}
    }
  }

  @Test(
    "Without it, pressed at any time: everything heard, put together, is the queue",
    arguments: [0, 1, 137, 999, 1000, 1001, 1999, 2000, 2001, 3333, 3999])
  func anyMoment(milliseconds: Int) async {
    await withTestDevice { device in
      let app = await device.launchApp()
      let songs = ["a", "b"].map { device.song($0, duration: .seconds(2), sampleRate: 8000) }
      _ = device.play(songs)
      await device.advance(by: .milliseconds(milliseconds))
      await device.pressHomeButton()
      await device.advance(by: .seconds(100))
      #expect(device.heard.stretches.last.map { $0.end <= .milliseconds(1000 + milliseconds) } ?? true)
      await device.foreground()
      await device.advance(by: .seconds(10))
      #expect(device.heard.passages == songs.map(\.whole))
      withExtendedLifetime(app) {}
    }
  }

  @Test("Without it but inside a background task: sound goes on until the task ends")
  func insideTask() async {
    await withTestDevice { device in
      let app = await device.launchApp()
      let song = device.song("a", duration: .seconds(60), sampleRate: 8000)
      _ = device.play([song])
      let task = device.application.beginBackgroundTask(withName: "listen")
      await device.advance(by: .seconds(2))
      await device.pressHomeButton()
      await device.advance(by: .seconds(20))
      device.application.endBackgroundTask(task)
      await device.advance(by: .seconds(30))
      #expect(device.heard.passages == [HeardSound.Passage(song: "a", frames: 0..<(22 * 8000))])
      #expect(device.record.moments(of: "state suspended") == [.seconds(23)])
      await device.foreground()
      await device.advance(by: .seconds(60))
      #expect(device.heard.passages == [song.whole])
      #expect(device.heard.silences.count == 1)
      withExtendedLifetime(app) {}
    }
  }

  @Test("Inside a background task that expires: sound goes on until then")
  func insideExpiringTask() async {
    await withTestDevice { device in
      let app = await device.launchApp()
      let song = device.song("a", duration: .seconds(300), sampleRate: 8000)
      _ = device.play([song])
      let application = device.application
      let task = Box(UIBackgroundTaskIdentifier.invalid)
      task.value = application.beginBackgroundTask(withName: "listen") {
        application.endBackgroundTask(task.value)
      }
      await device.pressHomeButton()
      await device.advance(by: .seconds(400))
      #expect(device.heard.passages == [HeardSound.Passage(song: "a", frames: 0..<(175 * 8000))])
      await device.foreground()
      await device.advance(by: .seconds(200))
      #expect(device.heard.passages == [song.whole])
      withExtendedLifetime(app) {}
    }
  }

  @Test("A real MP3 file is heard bit for bit across the press")
  func realFile() async throws {
    var whole: [Float] = []
    await withTestDevice { device in
      await device.launch()
      let player = device.playFile()
      await device.advance(by: .seconds(10))
      whole = device.heardSamples
      withExtendedLifetime(player) {}
    }
    #expect(!whole.isEmpty)
    await withTestDevice { device in
      await device.launch()
      let player = device.playFile()
      await device.advance(by: .milliseconds(700))
      await device.pressHomeButton()
      await device.advance(by: .seconds(60))
      #expect(device.heardSamples.count < whole.count)
      await device.foreground()
      await device.advance(by: .seconds(10))
      #expect(device.heardSamples == whole)
      #expect(device.heard.silences.count == 1)
      withExtendedLifetime(player) {}
    }
  }

  @Test(
    "Nothing of the application runs while suspended; what became due comes once, in order, on resumption")
  func nothingRuns() async {
    await withTestDevice { device in
      let app = await device.launchApp()
      let songs = [device.song("a", duration: .seconds(3)), device.song("b", duration: .seconds(30))]
      let player = device.play(songs)
      let boundary = player.addBoundaryTimeObserver(
        forTimes: [NSValue(time: CMTime(seconds: 1.5, preferredTimescale: 600))], queue: nil
      ) { device.note("boundary") }
      Task {
        while true {
          try await device.clock.sleep(for: .milliseconds(700))
          device.note("woken")
        }
      }
      device.schedule(after: .seconds(20)) { device.note("timer of 20 s") }
      device.schedule(after: .seconds(10)) { device.note("timer of 10 s") }
      await device.advance(by: .seconds(1))
      await device.pressHomeButton()
      let suspended = device.now
      await device.advance(by: .seconds(60))
      #expect(
        device.record.since(suspended).only("woken", "timer", "boundary", "time", "item", "rate").entries
          .isEmpty)
      player.seek(to: CMTime(seconds: 1.25, preferredTimescale: 100)) { _ in device.note("sought") }
      await device.advance(by: .seconds(60))
      #expect(!device.record.contains("sought"))
      let resumed = device.now
      await device.foreground()
      await device.advance(by: .seconds(1))
      #expect(
        device.record.since(resumed).only("woken", "timer", "boundary", "sought").description == """
          122.000 sought
          122.000 woken
          122.000 timer of 10 s
          122.000 timer of 20 s
          122.250 boundary
          122.700 woken
          """)
      withExtendedLifetime((app, boundary)) {}
    }
  }
}

extension TestDevice {
  /// A player of a real MP3 file of about 2 s, playing.
  func playFile() -> AVQueuePlayer {
    let file = Repository.fixtures.appendingPathComponent("cbr-44100-stereo.mp3")
    playsMusic()
    let player = AVQueuePlayer(url: file)
    player.play()
    return player
  }
}
