import AppLifecycle
import Testing

@Suite struct BackgroundModeTests {
  @Test(arguments: [
    ("audio", ["audio"]), ("audio,fetch", ["audio", "fetch"]),
    (" audio , fetch ", ["audio", "fetch"]),
    ("none", []), (" none ", []), ("", []), (",", []), ("audio,audio,", ["audio"]),
    ("remote-notification", ["remote-notification"]),
  ])
  func readsLists(list: String, names: [String]) {
    let modes = BackgroundModes(list: list)
    #expect(modes.modes == Set(names.map(BackgroundMode.init(rawValue:))))
    #expect(modes.warnings.isEmpty)
  }

  @Test(arguments: ["Audio", "none,audio", "sound", "au dio", "\u{1F600}"])
  func warnsOfUnknownNames(list: String) throws {
    let modes = BackgroundModes(list: list)
    let warning = try #require(modes.warnings.first)
    #expect(modes.warnings.count == 1)
    #expect(warning.contains("audio, fetch, processing"))
    #expect(modes.contains(.audio) == (list == "none,audio"))
  }

  @Test func namesOfAPropertyListAreTakenLetterByLetter() {
    let modes = BackgroundModes(names: ["audio", " audio", "none"])
    #expect(modes.modes == [.audio])
    #expect(modes.warnings.count == 2)
  }

  @Test func describesItselfAsAListItCanRead() {
    #expect(BackgroundModes(list: "voip,fetch,audio").description == "audio,fetch,voip")
    #expect(BackgroundModes().description == "none")
    let all = BackgroundModes(Set(BackgroundMode.known))
    #expect(BackgroundModes(list: all.description) == all)
    #expect(BackgroundModes([.audio, BackgroundMode(rawValue: "x")]).description == "audio,x")
  }

  @Test func theApplicationSeesThreeStates() {
    #expect(
      ApplicationState.allCases.map(\.seenByApplication) == [
        .background, .inactive, .active, .background, .background,
      ])
  }
}
