import AppLifecycle
import Continuo
import ControlProtocol
import HostTime
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
        (.statusLine, true), (.lines, state == .background), (.nothing, false),
      ] as [(RunDisplay.Form, Bool)] {
        var display = RunDisplay(form)
        display.state = state
        #expect(display.showsTime == expected, "\(form) \(state)")
      }
    }
  }

  @Test func linesTellOfSongsAndOfTimeInTheBackground() {
    var display = RunDisplay(.lines)
    display.state = .active
    display.show(songs[0], place: "1/2", now: clock.now)
    display.reach(time(5))
    #expect(display.takeLines(now: clock.now).isEmpty)
    let isTitle1 = display.note("A – T", of: songs[0].id)
    #expect(isTitle1)
    display.state = .background
    display.reach(time(1234))
    #expect(display.takeLines(now: clock.now) == ["1/2  A – T", "Background: 12.34"])
    display.state = .suspended
    display.reach(time(1235))
    display.show(songs[1], place: "2/2", now: clock.now)
    #expect(display.takeLines(now: nil) == ["2/2  b.mp3"])
  }

  @Test(arguments: [RunDisplay.Form.statusLine, .nothing])
  func elsewhereThereAreNoLines(form: RunDisplay.Form) {
    var display = RunDisplay(form)
    display.state = .background
    display.show(songs[0], place: "1/2", now: clock.now)
    display.reach(time(5))
    #expect(display.takeLines(now: nil).isEmpty)
  }

  @Test func theTitleIsTheNameOfTheCurrentSong() {
    var display = RunDisplay(.statusLine)
    #expect(line(display).title == "")
    display.show(songs[0], place: "1/2", now: clock.now)
    #expect(line(display).title == "a.mp3")
    let isTitle2 = display.note("A", of: songs[0].id)
    #expect(isTitle2)
    #expect(line(display).title == "A")
    let isTitle3 = display.note("B", of: songs[1].id)
    #expect(!isTitle3)
    #expect(line(display).title == "A")
    display.show(songs[1], place: "2/2", now: clock.now)
    // What a song is called that is over.
    let isTitle4 = display.note("late", of: songs[0].id)
    #expect(!isTitle4)
    #expect(line(display).title == "b.mp3")
    // At the end it stays, and nothing is current.
    display.show(nil, place: "", now: clock.now)
    let isTitle5 = display.note("late", of: songs[1].id)
    #expect(!isTitle5)
    #expect(line(display).title == "b.mp3" && display.song == nil)
  }

  @Test func theStatusIsAWord() {
    var display = RunDisplay(.statusLine)
    display.state = .active
    #expect(line(display).status == "playing")
    #expect(line(display, isMuted: true).status == "muted")
    #expect(line(display, .paused, isMuted: true).status == "paused")
    #expect(line(display, .waitingToPlayAtSpecifiedRate).status == "waiting")
    display.state = .background
    #expect(line(display, isMuted: true).status == "muted in the background")
    #expect(line(display, .paused).status == "paused in the background")
    display.state = .suspended
    #expect(line(display).status == "suspended")
  }

  @Test func theTimeIsThatOfTheSong() {
    let display = RunDisplay(.statusLine)
    var expected = StatusLine(
      title: "", status: "playing", elapsed: "2.50", duration: "10.00", progress: 0.25)
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
