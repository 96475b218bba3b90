import AppLifecycle
import ControlProtocol
import Testing

@testable import ContinuoCommand

@Suite struct PlayerCommandTests {
  @Test(arguments: [
    ("pause", PlayerCommand.pause), ("play", .play), ("toggle", .toggle), ("next", .next),
    ("previous", .previous), ("mute", .mute), ("home", .home), ("foreground", .foreground), ("lock", .lock),
    ("unlock", .unlock), ("quit", .quit), ("  home\t", .home),
    ("seek 1:02", .seek(.absolute(.seconds(62)))), ("seek   12.34", .seek(.absolute(.milliseconds(12340)))),
    ("seek +5", .seek(.relative(.seconds(5)))), ("seek -0:05.5", .seek(.relative(.milliseconds(-5500)))),
    ("volume 0", .volume(.absolute(0))), ("volume 100", .volume(.absolute(100))),
    ("volume +5", .volume(.relative(5))), ("volume -100", .volume(.relative(-100))),
    ("speed 1.25", .speed(.absolute(PlaybackSpeed(clamping: 125)))), ("speed +0.1", .speed(.relative(10))),
    ("speed -0.5", .speed(.relative(-50))), ("speed 2", .speed(.absolute(PlaybackSpeed(clamping: 200)))),
    ("interrupt begin", .interruptBegin), ("interrupt end", .interruptEnd(resumes: true)),
    ("interrupt end resume", .interruptEnd(resumes: true)),
    ("interrupt  end\tnoresume", .interruptEnd(resumes: false)), ("fetch", .fetch),
    ("memory-warning", .memoryWarning), ("terminate", .terminate), ("launch", .launch),
    ("task begin", .taskBegin(name: "task")), ("task end", .taskEnd(name: "task")),
    ("task begin upload of  all", .taskBegin(name: "upload of all")),
    ("task end begin", .taskEnd(name: "begin")), ("touch tab2", .system(.touch("tab2"))),
    ("launch-task  org.example.refresh", .system(.launchTask("org.example.refresh"))),
    ("expire-task a b", .system(.expireTask("a b"))),
  ])
  func readsCommands(text: String, command: PlayerCommand) throws {
    #expect(try PlayerCommand(parsing: text) == command)
    // What is drawn of it can be given again.
    #expect(try PlayerCommand(parsing: command.description) == command)
  }

  @Test(arguments: [
    ("", "missing"), (" ", "missing"), ("stop", "\"stop\""), ("Home", "\"Home\""), ("seek", "one argument"),
    ("seek 1 2", "one argument"), ("volume", "one argument"), ("home now", "now"), ("seek x", "\"x\""),
    ("seek --5", "\"--5\""), ("seek +", "\"+\""), ("volume 101", "\"101\""), ("volume 5.5", "\"5.5\""),
    ("volume +101", "\"+101\""), ("volume ++5", "\"++5\""), ("volume -", "\"-\""),
    ("speed 0.2", "\"0.2\""), ("speed 4.01", "\"4.01\""), ("speed 1.255", "\"1.255\""), ("speed +", "\"+\""),
    ("speed nan", "\"nan\""), ("volume 99999999999999999999", "9999"), ("interrupt", "begin, end"),
    ("interrupt stop", "begin, end"),
    ("interrupt begin now", "begin, end"), ("interrupt end maybe", "noresume"), ("task", "task begin upload"),
    ("task stop", "task begin upload"), ("terminate now", "now"),
    ("touch", "takes a name"), ("launch-task ", "takes a name"),
  ])
  func saysWhatIsWrong(text: String, word: String) {
    let error = #expect(throws: SyntaxError.self) { try PlayerCommand(parsing: text) }
    #expect(error?.description.contains(word) == true)
  }

  @Test func unknownCommandsNameTheKnownOnes() {
    let error = #expect(throws: SyntaxError.self) { try PlayerCommand(parsing: "stop") }
    #expect(
      error?.description
        == "unknown command \"stop\"; known ones are pause, play, toggle, next, previous, mute, "
        + "home, foreground, lock, unlock, fetch, memory-warning, terminate, launch, quit, seek TIME, volume N, speed N, "
        + "interrupt begin, interrupt end [resume|noresume], task begin [NAME], task end [NAME]")
  }

  @Test func readsSchedules() throws {
    let home = try ScheduledCommand(parsing: "3:home")
    #expect(home.time == .seconds(3) && home.command == .home)
    let seek = try ScheduledCommand(parsing: "6.25: seek 1:02:03")
    #expect(seek.time == .milliseconds(6250) && seek.command == .seek(.absolute(.seconds(3723))))
  }

  @Test(arguments: ["home", "3", ":home", "x:home", "-1:home", "3:", "1:02:home", "3,5:home", "nan:home"])
  func refusesOtherSchedules(text: String) {
    #expect(throws: SyntaxError.self) { try ScheduledCommand(parsing: text) }
  }
}
