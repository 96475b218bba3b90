import AppLifecycle
import ArgumentParser
import ControlProtocol
import Jukebox
import Testing

@testable import ContinuoCommand

@Suite struct PlayOptionsTests {
  @Test func takesTheWholeTable() throws {
    let options = try Play.parse([
      "--server", "unix:/run/pulse", "--sink", "hall", "--output", "pulse", "--background-modes",
      "audio,fetch",
      "--info-plist", "Info.plist", "--at", "6.5:foreground", "--at", "3:home", "--at", "3:mute", "--events",
      "-",
      "--no-socket", "a.mp3", "-", "Media",
    ])
    #expect(options.player.server == "unix:/run/pulse")
    #expect(options.player.sink == "hall")
    #expect(options.player.output == .pulse)
    #expect(options.events == "-")
    #expect(options.noSocket && !options.wantsSocket)
    #expect(options.files == ["a.mp3", "-", "Media"])
    #expect(options.schedule.map(\.command) == [.home, .mute, .foreground])
    #expect(try options.player.readBackgroundModes() == BackgroundModes([.audio, .fetch]))
  }

  @Test func hasDefaults() throws {
    let options = try Play.parse(["a.mp3"])
    #expect(
      options.player.server == nil && options.player.sink == nil && options.player.output == nil
        && !options.player.nullSink)
    #expect(options.events == nil && options.socket == nil && options.schedule.isEmpty)
    #expect(options.wantsSocket)
    #expect(try !Play.parse(["--output", "wav:x", "a.mp3"]).wantsSocket)
    #expect(try Play.parse(["--socket", "x", "a.mp3"]).socket == "x")
    #expect(try options.player.readBackgroundModes() == BackgroundModes([.audio]))
  }

  @Test func readsHowItStarts() throws {
    let options = try Play.parse([
      "--volume", "30", "--speed", "1.25", "--start", "1:02.5", "--loop", "--list-unplayable", "a.mp3",
    ])
    #expect(options.player.volume == 30 && options.player.speed?.percent == 125)
    #expect(options.start == 62.5 && options.loop && options.listUnplayable)
    let serve = try Serve.parse(["--volume", "30", "--speed", "0.5"])
    #expect(serve.player.volume == 30 && serve.player.speed?.percent == 50)
    #expect(serve.resumeLongerThan == 1200)
    #expect(try Serve.parse(["--resume-longer-than", "1:00:00"]).resumeLongerThan == 3600)
    #expect(try Serve.parse(["--resume-longer-than", "off"]).resumeLongerThan == .infinity)
    var generator = SystemRandomNumberGenerator()
    var machine = JukeboxMachine(using: &generator)
    options.player.apply(to: &machine)
    #expect(machine.volume == 30 && machine.speed.percent == 125 && machine.replayGain == .off)
  }

  @Test func readsTheDelayBehindASink() throws {
    #expect(try Play.parse(["--sink-delay", "0.75", "a.mp3"]).player.sinkDelay == 0.75)
    #expect(try Play.parse(["a.mp3"]).player.sinkDelay == nil)
  }

  @Test(arguments: [("wav:a b.wav", OutputChoice.wav(path: "a b.wav")), ("simulated", .simulated)])
  func readsOutputs(text: String, choice: OutputChoice) throws {
    #expect(try Play.parse(["--output", text, "a.mp3"]).player.output == choice)
    #expect(choice.description == text)
  }

  @Test(arguments: [
    [], ["--null-sink"], ["--null-sink", "--server", "x", "a"], ["--null-sink", "--sink", "x", "a"],
    ["--null-sink", "--output", "simulated", "a"], ["--null-sink", "--output", "wav:x", "a"],
    ["--output", "wav:x", "--server", "y", "a"], ["--output", "simulated", "--sink", "y", "a"],
    ["--sink-delay", "-1", "a"], ["--sink-delay", "61", "a"],
    ["--sink-delay", "1", "--output", "simulated", "a"], ["--output", "wav:", "a"],
    ["--output", "wav:x", "--at", "1:quit", "a"], ["--output", "alsa", "a"],
    ["--output", "wav:x", "--events", "x", "a"],
    ["--output", "wav:x", "--timeline", "x", "a"], ["--events", "x", "--timeline", "x", "a"],
    ["--timeline", "", "a"],
    ["--volume", "101", "a"], ["--volume", "+5", "a"], ["--speed", "5", "a"], ["--speed", "x", "a"],
    ["--start", "x", "a"], ["--output", "wav:x", "--loop", "a"], ["-", "-"], [""], ["--server", "", "a"],
    ["--events", "", "a"], ["--events-without", "time", "a"], ["--events", "x", "--events-without", "", "a"],
    ["--events", "x", "--events-without", "time,tim", "a"], ["--at", "home", "a"],
    ["--at", "3:stop", "a"],
    ["--at"], ["--socket", "", "a"], ["--socket", "x", "--no-socket", "a"],
    ["--socket", "x", "--output", "wav:y", "a"], ["--loud", "5", "a"],
  ])
  func contradictionsAreUsageErrors(arguments: [String]) {
    #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(["play"] + arguments) }
  }

  /// Once: the exit code and the message of an error take 0.6 s in a debug build.
  @Test func aContradictionHasTheStatusOfWrongUse() throws {
    let error = #expect(throws: (any Error).self) {
      try RootCommand.parseAsRoot(["play", "--null-sink", "--sink", "x", "a.mp3"])
    }
    #expect(RootCommand.exitCode(for: try #require(error)).rawValue == ExitStatus.usage.rawValue)
    #expect(!RootCommand.message(for: try #require(error)).isEmpty)
  }

  @Test func helpExplainsEverything() throws {
    let help = RootCommand.helpMessage(for: Play.self, columns: 80)
    // Lines end anywhere between two words.
    let words = help.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    for option in [
      "--server", "--sink", "--null-sink", "--output", "--replay-gain", "--background-modes", "--info-plist",
      "--at",
      "--events",
      "--socket", "--no-socket", "--timeline", "EXAMPLES", "EXIT STATUS", "seek TIME",
    ] {
      #expect(words.contains(option))
    }
    #expect(help.split(separator: "\n").allSatisfy { $0.count <= 80 })
    #expect(RootCommand.helpMessage(columns: 80).contains("continuo play Media"))
  }

  @Test(
    arguments: [
      ([], nil, true), ([], "", true), ([], "unix:/x", false), (["--server", "x"], nil, false),
      (["--sink", "x"], nil, false), (["--null-sink"], nil, false), (["--output", "pulse"], nil, false),
    ] as [([String], String?, Bool)])
  func onlyAnUnnamedServerIsSubstituted(arguments: [String], variable: String?, allowed: Bool) throws {
    let options = try Play.parse(arguments + ["a"])
    #expect(options.player.allowsSubstitute { $0 == "PULSE_SERVER" ? variable : "x" } == allowed)
  }

  /// A file is written as fast as it goes; a live stream comes with the clock, and needs an end.
  @Test func aLiveStreamIsWrittenUntilQuit() throws {
    let wave = ["--output", "wav:x"]
    #expect(try Play.parse(wave + ["--at", "1:quit", "http://h/"]).schedule.map(\.command) == [.quit])
    for arguments in [["--at", "1:quit", "a"], ["--at", "1:pause", "http://h/"]] {
      #expect(throws: (any Error).self) { try Play.parse(wave + arguments) }
    }
  }

  @Test func exitStatusFollowsWhatWasPlayed() {
    #expect(ExitStatus(hasSounded: true, problems: 0) == .played)
    #expect(ExitStatus(hasSounded: true, problems: 1) == .partlyPlayed)
    #expect(ExitStatus(hasSounded: false, problems: 1) == .noInput)
    #expect(ExitStatus.unavailable.code.rawValue == 69)
  }
}
