import ContinuoTesting
import Foundation
import Testing

@MainActor
@Suite("The test device", .timeLimit(.minutes(10)))
struct TestDeviceTests {
  @Test("What is one per process is the device's, inside and in tasks started there, and only there")
  func scope() async {
    var first: UIApplication?
    await withTestDevice { device in
      first = UIApplication.shared
      #expect(UIApplication.shared === device.application)
      let session = AVAudioSession.sharedInstance()
      await Task {
        #expect(UIApplication.shared === device.application)
        #expect(AVAudioSession.sharedInstance() === session)
      }.value
    }
    await withTestDevice { device in
      #expect(UIApplication.shared === device.application)
      #expect(UIApplication.shared !== first)
    }
    #expect(UIApplication.shared !== first)
  }

  @Test("Devices take turns, in the order in which they were asked for")
  func turns() async {
    let log = Box<[String]>([])
    let tests = (0..<5).map { number in
      Task {
        await withTestDevice { device in
          log.value.append("\(number) begins")
          await device.advance(by: .seconds(1))
          log.value.append("\(number) ends")
        }
      }
    }
    for test in tests { await test.value }
    for pair in stride(from: 0, to: 10, by: 2) {
      #expect(log.value[pair].prefix(1) == log.value[pair + 1].prefix(1))
      #expect(log.value[pair].hasSuffix("begins") && log.value[pair + 1].hasSuffix("ends"))
    }
  }

  @Test("An error of the test comes through, and the next device is not held up by it")
  func errors() async {
    struct Failure: Error {}
    await #expect(throws: Failure.self) {
      try await withTestDevice { _ in throw Failure() }
    }
    let next = await withTestDevice { $0.now }
    #expect(next == .zero)
  }

  @Test("Notes, tasks without a name and calls that take time have stable words")
  func record() async {
    await withTestDevice { device in
      let app = ObservantApp(on: device)
      app.onEnterBackground = { device.spend(.milliseconds(1500)) }
      await device.launch(app)
      let tasks = (0..<2).map { _ in device.application.beginBackgroundTask() }
      await device.advance(by: .seconds(1))
      await device.pressHomeButton()
      for task in tasks { device.application.endBackgroundTask(task) }
      device.application.endBackgroundTask(tasks[0])
      await device.advance(by: .zero)
      #expect(
        device.record.since(.seconds(1)).without("delegate", "notification") == """
          1.000 home
          1.000 call applicationWillResignActive
          1.000 state inactive
          1.000 call applicationDidEnterBackground
          2.500 applicationDidEnterBackground returned after 1.500 s
          2.500 state background
          2.500 task number 1 ended
          2.500 task number 2 ended
          2.500 refused: task number 1 is not open
          2.500 state suspended
          """)
      #expect(
        device.record.only("task").entries.map(\.text).prefix(2) == [
          "task number 1 begun", "task number 2 begun",
        ])
    }
  }

  @Test("What is heard: songs in order, a seek, a pause, a song that breaks off, one that cannot be played")
  func heard() async {
    await withTestDevice { device in
      await device.launch()
      let a = device.song("a", duration: .seconds(4), sampleRate: 8000)
      let b = device.song("b", duration: .seconds(4), breakingOffAt: .seconds(1), sampleRate: 8000)
      let c = device.song("c", duration: .seconds(1), sampleRate: 8000)
      let player = device.play([a, b, c])
      player.insert(AVPlayerItem(url: device.brokenSong("unreadable", .unreadable)), after: player.items()[1])
      await device.advance(by: .seconds(1))
      player.seek(to: CMTime(value: 3, timescale: 1)) { _ in }
      await device.advance(by: .milliseconds(500))
      player.pause()
      await device.advance(by: .seconds(2))
      player.play()
      await device.advance(by: .seconds(30))
      #expect(
        device.heard.description == """
          0.000…1.000 a 0..<8000
          1.000…1.500 a 24000..<28000
          1.500…3.500 silence
          3.500…4.000 a 28000..<32000
          4.000…5.000 b 0..<8000
          5.000…6.000 c 0..<8000
          """)
      #expect(device.heard.isAudible(at: .seconds(1)) && !device.heard.isAudible(at: .seconds(2)))
      #expect(device.heard.passages.last == c.whole)
    }
  }

  @Test("A device that does not record sound plays all the same")
  func withoutSound() async {
    await withTestDevice(recordsSound: false) { device in
      await device.launch()
      _ = device.play([device.song("a", duration: .seconds(2))])
      await device.advance(by: .seconds(5))
      #expect(device.heard.stretches.isEmpty)
      #expect(device.record.moments(of: "played to end a") == [.seconds(2)])
    }
  }

  @Test("An output that is not there: nothing is heard, nothing keeps the application running")
  func absentOutput() async {
    await withTestDevice(modes: [.audio], output: .absent()) { device in
      await device.launch()
      let player = device.play([device.song("a", duration: .seconds(2))])
      await device.advance(by: .seconds(5))
      #expect(player.timeControlStatus == .waitingToPlayAtSpecifiedRate && device.heard.stretches.isEmpty)
    }
  }

  @Test("A sink that changes under the music does not stop it")
  func movedOutput() async {
    await withTestDevice(modes: [.audio], output: .moving(at: .seconds(1))) { device in
      await device.launch()
      let song = device.song("a", duration: .seconds(2))
      _ = device.play([song])
      await device.pressHomeButton()
      await device.advance(by: .seconds(5))
      #expect(device.heard.passages == [song.whole])
    }
  }

  @Test("A memory warning and the lock screen's controls reach the application")
  func otherEvents() async {
    await withTestDevice(modes: [.audio]) { device in
      let app = await device.launchApp()
      await device.sendMemoryWarning()
      #expect(
        device.seen(since: .seconds(1)) == """
          1.000 delegate didReceiveMemoryWarning
          1.000 notification didReceiveMemoryWarning
          """)
      let song = device.song("a", duration: .seconds(4), sampleRate: 8000)
      let player = device.play([song])
      player.pause()
      await device.pressHomeButton()
      #expect(device.state == .suspended)
      await device.wakeForRemoteControl()
      #expect(device.state == .background)
      player.play()
      await device.advance(by: .seconds(60))
      #expect(device.heard.passages == [song.whole])
      #expect(device.record.moments(of: "state suspended") == [.seconds(1), .seconds(5)])
      withExtendedLifetime(app) {}
    }
  }
}
