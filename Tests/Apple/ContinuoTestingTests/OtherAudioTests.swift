import ContinuoTesting
import Foundation
import TestSupport
import Testing

@MainActor
struct OtherAudioTests {
  @Test("The session says whether others sound, and how loud everything is")
  func others() async {
    let output = TestOutput.besideOthers(from: .seconds(1), until: .seconds(2), volume: 0.5)
    await withTestDevice(output: output) { device in
      let session = AVAudioSession.sharedInstance()
      #expect(!session.isOtherAudioPlaying && session.outputVolume == 0.5)
      await device.advance(by: .seconds(1))
      #expect(session.isOtherAudioPlaying && session.secondaryAudioShouldBeSilencedHint)
      await device.advance(by: .seconds(1))
      #expect(!session.isOtherAudioPlaying && !session.secondaryAudioShouldBeSilencedHint)
    }
  }

  /// What is told of others while they sound from 3 s to 5 s.
  private func hints(_ begin: @MainActor (TestDevice, AVAudioSession) async -> Void) async -> [UInt?] {
    let output = TestOutput.besideOthers(from: .seconds(3), until: .seconds(5))
    return await withTestDevice(modes: [.audio], output: output) { device in
      let session = AVAudioSession.sharedInstance()
      let told = Collected<UInt?>()
      let token = NotificationCenter.default.addObserver(
        forName: AVAudioSession.silenceSecondaryAudioHintNotification, object: session, queue: nil
      ) { told.add($0.userInfo?[AVAudioSessionSilenceSecondaryAudioHintTypeKey] as? UInt) }
      defer { NotificationCenter.default.removeObserver(token) }
      await device.launchApp()
      await begin(device, session)
      await device.advance(to: .seconds(6))
      return told.all
    }
  }

  @Test("An active session tells in the foreground when others begin and end")
  func hint() async {
    #expect(await hints { try? $1.setActive(true) } == [1, 0])
    #expect(await hints { _, session in _ = session.isOtherAudioPlaying } == [])
    // Who has begun before is no news.
    let late = await hints { device, session in
      await device.advance(to: .seconds(4))
      try? session.setActive(true)
    }
    #expect(late == [0])
    let inBackground = await hints { device, session in
      try? session.setCategory(.playback)
      let player = device.play([device.song("a", duration: .seconds(10), sampleRate: 8000)])
      await device.advance(to: .seconds(4))
      await device.pressHomeButton()
      await device.advance(to: .seconds(6))
      #expect(device.state == .background && player.rate == 1)
    }
    #expect(inBackground == [1])
  }

  @Test("The volume that someone sets is told to observers")
  func volume() async {
    await withTestDevice { device in
      let session = AVAudioSession.sharedInstance()
      let told = Collected<[Float?]>()
      let observation = session.observe(\.outputVolume, options: [.old, .new]) { session, change in
        told.add([change.oldValue, change.newValue, session.outputVolume])
      }
      await device.setOutputVolume(0.25)
      await device.setOutputVolume(0.25)
      await device.setOutputVolume(2)
      #expect(told.all == [[1, 0.25, 0.25], [0.25, 1, 1]])
      observation.invalidate()
      await device.setOutputVolume(0.5)
      #expect(told.all.count == 2)
    }
  }

  @Test("By default nobody else does, at full volume")
  func nobody() async {
    await withTestDevice { device in
      let session = AVAudioSession.sharedInstance()
      #expect(!session.isOtherAudioPlaying && session.outputVolume == 1)
    }
  }
}
