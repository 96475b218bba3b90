import AppLifecycle
import Clocks
import Continuo
import ControlProtocol
import Jukebox
import Testing

@testable import ContinuoCommand

/// What a person sees of a run.
@Suite struct RunDisplayTests {
  let clock = VirtualClock()
  let songs: [QueuedSong]

  init() throws { songs = try queuedSongs("/m/a.mp3", "/m/b.mp3") }

  func time(_ hundredths: Int64) -> CMTime { CMTime(value: hundredths, timescale: 100) }

  func line(
    _ display: RunDisplay, _ status: TimeControlStatus = .playing, isMuted: Bool = false,
    duration: CMTime = CMTime(value: 1000, timescale: 100)
  ) -> StatusLine {
    display.statusLine(status, isMuted: isMuted, time: time(250), duration: duration)
  }

  @Test func timeIsShownOnlyWhereSomebodyLooks() {
    for state in ApplicationState.allCases {
      for (form, expected) in [
        (.statusLine, 3), (.lines, state == .background ? 100 : nil), (.nothing, nil),
      ] as [(RunDisplay.Form, Int64?)] {
        var display = RunDisplay(form)
        display.reach(state, at: .zero)
        #expect(display.shownStep == expected, "\(form) \(state)")
      }
    }
  }

  @Test func aTerminalGetsEveryThirdStepAndAllElse() {
    var display = RunDisplay(.statusLine)
    let isDrawn = (0...6).map { display.reach(time($0)).isDrawn }
    #expect(isDrawn == [true, false, false, true, false, false, true])
    let isExactDrawn = display.reach(CMTime(value: 1, timescale: 44100)).isDrawn
    #expect(isExactDrawn)
    var lines = RunDisplay(.lines)
    #expect(lines.reach(time(0)) == (false, false))
    lines.reach(.background, at: time(0))
    #expect(lines.reach(time(100)) == (true, false))
    _ = lines.takeLines(now: nil)
    #expect(lines.reach(time(101)) == (false, false))
  }

  @Test func suspensionAndInterruptionAreALineEach() {
    var display = RunDisplay(.lines)
    for state in [ApplicationState.inactive, .active, .inactive, .background, .suspended] {
      display.reach(state, at: time(120))
    }
    #expect(display.takeLines(now: clock.now) == ["Suspended: 1.20"])
    display.reach(.background, at: time(120))
    display.reach(.active, at: time(130))
    #expect(display.takeLines(now: clock.now) == ["Resumed: 1.20"])
    display.setInterrupted(true, at: time(150))
    display.setInterrupted(false, at: time(150))
    #expect(display.takeLines(now: clock.now) == ["Interrupted: 1.50", "Interruption over: 1.50"])
    // Of its end there is a line elsewhere.
    display.reach(.suspended, at: time(160))
    display.reach(.notRunning, at: .invalid)
    #expect(display.takeLines(now: clock.now) == ["Suspended: 1.60"])
  }

  @Test func aSongFromTheNetworkGetsItsTitle() throws {
    for form in [RunDisplay.Form.lines, .statusLine] {
      var display = RunDisplay(form)
      display.show(songs[0], place: "1/2", now: clock.now)
      let name = SongName(artist: "A", title: "T")
      let (isOther, isNew) = (display.learn(name, of: songs[1].id), display.learn(name, of: songs[0].id))
      let isNewAgain = display.learn(name, of: songs[0].id)
      #expect(!isOther && isNew && !isNewAgain && line(display).name == name)
      #expect(display.takeLines(now: nil) == (form == .lines ? ["1/2  A – T"] : []))
      // The line is already written when the tags arrive.
      display.show(songs[1], place: "2/2", now: clock.now)
      _ = display.takeLines(now: nil)
      _ = display.learn(name, of: songs[1].id)
      #expect(display.takeLines(now: nil) == (form == .lines ? ["Title: A – T"] : []))
      // A station names its songs itself.
      _ = display.note(station: "S", title: nil, of: songs[1].id)
      let isLive = display.learn(SongName(title: "U"), of: songs[1].id)
      #expect(!isLive && line(display).name.title == "S")
    }
  }

  @Test func aNoticeTakesTheStatussPlaceForAWhile() {
    var display = RunDisplay(.statusLine)
    display.reach(.active, at: .zero)
    let first = display.show(notice: "volume 95 %")
    #expect(line(display).status == "volume 95 %")
    let second = display.show(notice: "volume 90 %")
    display.takeBack(notice: first)
    #expect(line(display).status == "volume 90 %")
    display.takeBack(notice: second)
    #expect(line(display).status == "playing")
  }

  @Test func whereThePlayerWaitsForBytesItSaysHowMuchIsThere() {
    var display = RunDisplay(.statusLine)
    display.reach(.active, at: .zero)
    display.show(songs[0], place: "1/2", now: clock.now)
    #expect(line(display, .waitingToPlayAtSpecifiedRate).status == "waiting")
    display.load([0..<1, 2..<3.99], of: songs[0], at: 2.2)
    display.load([0..<9], of: songs[1], at: 2.2)
    #expect(line(display, .waitingToPlayAtSpecifiedRate).status == "buffering 1.4 s")
    #expect(line(display).status == "playing")
    display.load([0..<1], of: songs[0], at: 2.2)
    #expect(line(display, .waitingToPlayAtSpecifiedRate).status == "buffering 0.0 s")
    display.show(songs[1], place: "2/2", now: clock.now)
    #expect(line(display, .waitingToPlayAtSpecifiedRate).status == "waiting")
  }

  @Test func linesTellOfSongsAndOfTimeInTheBackground() {
    var display = RunDisplay(.lines)
    display.reach(.active, at: .zero)
    display.show(songs[0], place: "1/2", now: clock.now)
    display.reach(time(5))
    #expect(display.takeLines(now: clock.now).isEmpty)
    let isTitle1 = display.note(SongName(artist: "A", title: "T"), of: songs[0].id)
    #expect(isTitle1)
    display.reach(.background, at: .zero)
    // A jump is told with its exact time; of a finer observer's steps, one in a second.
    display.reach(CMTime(value: 544_194, timescale: 44100))
    for step in 1250...1401 { display.reach(time(Int64(step))) }
    #expect(
      display.takeLines(now: clock.now) == [
        "1/2  A – T", "Background: 12.34", "Background: 13.00", "Background: 14.00",
      ])
    display.reach(.suspended, at: time(1234))
    display.reach(time(1235))
    display.show(songs[1], place: "2/2", now: clock.now)
    #expect(display.takeLines(now: nil) == ["Suspended: 12.34", "2/2  b.mp3"])
  }

  @Test(arguments: [RunDisplay.Form.statusLine, .nothing])
  func elsewhereThereAreNoLines(form: RunDisplay.Form) {
    var display = RunDisplay(form)
    display.reach(.background, at: .zero)
    display.show(songs[0], place: "1/2", now: clock.now)
    display.reach(time(5))
    #expect(display.takeLines(now: nil).isEmpty)
  }

  @Test func theTitleIsTheNameOfTheCurrentSong() {
    var display = RunDisplay(.statusLine)
    #expect(line(display).name.title == "")
    display.show(songs[0], place: "1/2", now: clock.now)
    #expect(line(display).name.title == "a.mp3")
    let isTitle2 = display.note(SongName(title: "A"), of: songs[0].id)
    #expect(isTitle2)
    #expect(line(display).name.title == "A")
    let isTitle3 = display.note(SongName(title: "B"), of: songs[1].id)
    #expect(!isTitle3)
    #expect(line(display).name.title == "A")
    display.show(songs[1], place: "2/2", now: clock.now)
    // What a song is called that is over.
    let isTitle4 = display.note(SongName(title: "late"), of: songs[0].id)
    #expect(!isTitle4)
    #expect(line(display).name.title == "b.mp3")
    // At the end it stays, and nothing is current.
    display.show(nil, place: "", now: clock.now)
    let isTitle5 = display.note(SongName(title: "late"), of: songs[1].id)
    #expect(!isTitle5)
    #expect(line(display).name.title == "b.mp3" && display.song == nil)
  }

  @Test func theStatusIsAWord() {
    var display = RunDisplay(.statusLine)
    display.reach(.active, at: .zero)
    #expect(line(display).status == "playing")
    #expect(line(display, isMuted: true).status == "muted")
    #expect(line(display, .paused, isMuted: true).status == "paused")
    display.setInterrupted(true, at: .zero)
    #expect(line(display, .paused).status == "interrupted")
    display.setInterrupted(false, at: .zero)
    #expect(line(display, .waitingToPlayAtSpecifiedRate).status == "waiting")
    display.reach(.background, at: .zero)
    #expect(line(display, isMuted: true).status == "muted in the background")
    #expect(line(display, .paused).status == "paused in the background")
    display.reach(.suspended, at: .zero)
    #expect(line(display).status == "suspended")
  }

  @Test func theTimeIsThatOfTheSong() {
    let display = RunDisplay(.statusLine)
    var expected = StatusLine(
      place: "", name: SongName(title: ""), status: "playing", elapsed: "2.50", duration: "10.00",
      progress: 0.25)
    #expect(line(display) == expected)
    expected.duration = nil
    expected.progress = nil
    #expect(line(display, duration: .indefinite) == expected)
    expected.duration = "0.00"
    #expect(line(display, duration: CMTime(value: 0, timescale: 100)) == expected)
    #expect(
      display.statusLine(.paused, isMuted: false, time: .invalid, duration: .invalid).elapsed == "0.00")
  }
}
