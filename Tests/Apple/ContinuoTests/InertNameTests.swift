import Continuo
import Testing

/// Names that programs for Apple's systems use and that have little to do here.
@Suite("Names without much effect")
struct InertNameTests {
  private struct Oops: Error {}

  @Test func pool() throws {
    let three = autoreleasepool { 3 }
    #expect(three == 3)
    #expect(throws: Oops.self) { try autoreleasepool { throw Oops() } }
  }

  @Test func fileTypes() {
    #expect(AVFileType.mp3.rawValue == "public.mp3" && AVFileType("public.mp3") == .mp3)
    #expect(AVFileType.wav != .aiff)
  }

  @Test func changeKeys() {
    let change: [NSKeyValueChangeKey: Any] = [.newKey: 1, .oldKey: 0]
    #expect(change[.newKey] as? Int == 1 && NSKeyValueChangeKey.kindKey.rawValue == "kind")
  }

  @Test func languages() async throws {
    let asset = AVURLAsset(url: URL(fileURLWithPath: "/nowhere"))
    let group = try #require(asset.mediaSelectionGroup(forMediaCharacteristic: .audible))
    let options = group.makeNowPlayingInfoLanguageOptionGroup()
    #expect(options.languageOptions.isEmpty && options.allowEmptySelection)
    let target = MPRemoteCommandCenter.shared().enableLanguageOptionCommand.addTarget { event in
      (event as? MPChangeLanguageOptionCommandEvent)?.setting == .permanent ? .success : .commandFailed
    }
    MPRemoteCommandCenter.shared().enableLanguageOptionCommand.removeTarget(target)
  }

  @Test @MainActor func remoteControl() {
    UIApplication.shared.beginReceivingRemoteControlEvents()
    UIApplication.shared.endReceivingRemoteControlEvents()
    #expect(UIBackgroundTaskInvalid == .invalid && UIDevice.current.isMultitaskingSupported)
  }
}
