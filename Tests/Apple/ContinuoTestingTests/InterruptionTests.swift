import ContinuoTesting
import Foundation
import Testing

/// The rows of the table that concern interruptions, with sound.
@MainActor
@Suite("Life cycle: interruptions and sound", .timeLimit(.minutes(10)))
struct InterruptionTests {
  @Test("Players pause themselves, the session tells of begin and end, the application goes on if it may")
  func interruption() async {
    await withTestDevice(modes: [.audio]) { device in
      let app = await device.launchApp()
      let song = device.song("a", duration: .seconds(10), sampleRate: 8000)
      let player = device.play([song])
      let observer = NotificationCenter.default.addObserver(
        forName: AVAudioSession.interruptionNotification, object: AVAudioSession.sharedInstance(), queue: nil
      ) { note in
        let type = (note.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt).flatMap(
          AVAudioSession.InterruptionType.init)
        let options = (note.userInfo?[AVAudioSessionInterruptionOptionKey] as? UInt).map(
          AVAudioSession.InterruptionOptions.init)
        device.note(
          "session told: \(type == .began ? "began" : "ended")"
            + (options?.contains(.shouldResume) == true ? ", should resume" : ""))
        if options?.contains(.shouldResume) == true { player.play() }
      }
      await device.advance(by: .seconds(2))
      await device.beginInterruption()
      await device.advance(by: .seconds(30))
      #expect(player.rate == 0 && player.timeControlStatus == .paused)
      await device.endInterruption(shouldResume: true)
      await device.advance(by: .seconds(30))
      #expect(device.heard.passages == [song.whole])
      #expect(
        device.record.since(.seconds(3)).only("state", "interruption", "session", "rate").description == """
          3.000 state inactive
          3.000 interruption began
          3.000 session told: began
          3.000 rate 0.0 (interrupted)
          33.000 interruption ended, should resume
          33.000 session told: ended, should resume
          33.000 rate 1.0 (set)
          33.000 state active
          """)
      NotificationCenter.default.removeObserver(observer)
      withExtendedLifetime(app) {}
    }
  }

  @Test("Without shouldResume nothing goes on by itself")
  func noResume() async {
    await withTestDevice(modes: [.audio]) { device in
      await device.launch()
      let player = device.play([device.song("a", duration: .seconds(10), sampleRate: 8000)])
      await device.advance(by: .seconds(2))
      await device.beginInterruption()
      await device.advance(by: .seconds(1))
      await device.endInterruption(shouldResume: false)
      await device.advance(by: .seconds(30))
      #expect(device.state == .active && player.rate == 0)
      device.expectSilence(from: .seconds(2))
    }
  }

  @Test("An application launched during a call cannot play, in its launch neither", arguments: [false, true])
  func launchedDuringACall(isRelaunch: Bool) async {
    await withTestDevice(modes: [.audio]) { device in
      if isRelaunch {
        await device.launch()
        await device.terminate()
      }
      let app = ObservantApp(on: device)
      let song = device.song("a", duration: .seconds(10), sampleRate: 8000)
      var player: AVQueuePlayer?
      app.onLaunch = {
        #expect(throws: (any Error).self) { try AVAudioSession.sharedInstance().setActive(true) }
        player = device.play([song])
        device.spend(.seconds(2))
      }
      await device.beginInterruption()
      await device.launch(app)
      await device.advance(by: .seconds(10))
      #expect(device.heard.passages.isEmpty && player?.rate == 0)
      await device.endInterruption(shouldResume: true)
      player?.play()
      await device.advance(by: .seconds(30))
      #expect(device.heard.passages == [song.whole])
    }
  }
}
