import ContinuoTesting
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

  @Test("By default nobody else does, at full volume")
  func nobody() async {
    await withTestDevice { device in
      let session = AVAudioSession.sharedInstance()
      #expect(!session.isOtherAudioPlaying && session.outputVolume == 1)
    }
  }
}
