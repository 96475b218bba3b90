import Testing

@testable import ControlProtocol
@testable import MPDService

/// Which songs a filter finds; what mpd finds is in ClientTests.
@Suite struct SongFilterTests {
  private let song = SongReply(
    file: "Été/a b.mp3", lastModified: 1000, format: AudioFormatText(rate: 44_100, bits: nil, channels: 2),
    tags: [
      .init(.artist, "Straße"), .init(.artist, "Zweite"), .init(.artistSort, "Strasse, A"),
      .init(.title, "Iıİi ΣΊΣΥΦΟΣ"),
    ])

  private func accepts(
    _ expression: FilterExpression, foldsCase: Bool = false, _ song: SongReply? = nil
  ) -> Bool {
    (try? SongFilter(expression, foldsCase: foldsCase).accepts(song ?? self.song)) ?? false
  }

  @Test("Each of several values counts") func severalValues() {
    #expect(accepts(.tag(.artist, .equals("Zweite"))))
    #expect(accepts(.all([.tag(.artist, .equals("Zweite")), .tag(nil, .contains("aß"))])))
    #expect(!accepts(.not(.tag(.artist, .equals("Zweite")))))
    #expect(!accepts(.tag(.artist, .contains("ZWEI"))))
  }

  @Test("A tag that stands for another does so only where that is missing") func substitutes() {
    #expect(accepts(.tag(.albumArtist, .equals("Straße"))))
    #expect(!accepts(.tag(.artistSort, .equals("Straße"))))
    #expect(accepts(.tag(.artistSort, .equals("Strasse, A"))))
    #expect(!accepts(.tag(.albumArtistSort, .equals("Strasse, A"))))
    #expect(accepts(.tag(.albumArtistSort, .equals("Zweite"))))
    #expect(accepts(.tag(.albumSort, .equals(""))))
    #expect(!accepts(.tag(nil, .equals(""))))
  }

  @Test(
    "Capitals and small letters",
    arguments: [
      ("strasse", true), ("STRASSE", true), ("straſſe", true), ("ZWEITE", true), ("iıi̇i", true),
      ("IIii", false), ("σίσυφος", true), ("σισυφος", false), ("", true),
    ])
  func folding(_ text: String, _ isFound: Bool) {
    #expect(accepts(.tag(nil, .contains(Argument(text))), foldsCase: true) == isFound)
  }

  @Test("Folders are folders, in the letters that they have") func folders() {
    #expect(accepts(.base("Été")))
    #expect(accepts(.base("Été/a b.mp3")))
    #expect(accepts(.base("")))
    #expect(!accepts(.base("Ét")))
    #expect(!accepts(.base("Été/a")))
    #expect(!accepts(.base("été"), foldsCase: true))
    #expect(accepts(.file(.equals("ÉTÉ/A B.MP3")), foldsCase: true))
    let absolute = SongReply(file: "/music/a.mp3")
    #expect(accepts(.base("/"), absolute))
    #expect(accepts(.base("/music"), absolute))
    #expect(!accepts(.base("/mus"), absolute))
  }

  @Test("What is not known is neither new nor of a format") func unknown() {
    #expect(accepts(.modifiedSince(1000)))
    #expect(!accepts(.modifiedSince(1001)))
    #expect(accepts(.audioFormat(AudioFormatMask(channels: 2))))
    #expect(!accepts(.audioFormat(AudioFormatMask(channels: 1))))
    let unknown = SongReply(file: "a.mp3")
    #expect(!accepts(.modifiedSince(.min), unknown))
    #expect(!accepts(.audioFormat(AudioFormatMask()), unknown))
  }
}
