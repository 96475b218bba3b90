import Clocks
import Testing

@testable import AppLifecycle

/// The packets between an application and its phone.
@Suite struct PhoneReportTests {
  private static let time = HostTime(nanoseconds: 12_345_678_901)
  private static let id = UIBackgroundTaskIdentifier(rawValue: 7)

  @Test(
    "Every report is read as it was written",
    arguments: [
      PhoneReport.hello(BackgroundModes([.audio, .fetch]), .active), .hello(BackgroundModes(), .notRunning),
      .event(.state(.suspended), time), .event(.taskBegan(id, name: "a name\nof two lines"), time),
      .event(.taskBegan(id, name: nil), time), .event(.taskBegan(id, name: ""), time),
      .event(.taskEnded(id, name: nil), time), .event(.expirationBegan(id, name: nil), time),
      .event(.interruptionBegan, time), .event(.interruptionEnded(shouldResume: true), time),
      .event(.interruptionEnded(shouldResume: false), time), .refused("no  background time"), .refused(""),
      .terminated(nil, time),
      .terminated(.init(code: "0x8badf00d", reason: "too slow", text: "First\n\n  Second"), time),
      .still(grace: 0, wake: nil, returnsOnUnlock: false), .still(grace: 0, wake: nil, returnsOnUnlock: true),
      .still(grace: 4.25, wake: 600.5, returnsOnUnlock: false),
      .still(grace: 4.25, wake: 600.5, returnsOnUnlock: true), .watch, .socket,
      .location(latitude: 37.331, longitude: -122.03, time), .done(.max, .background),
    ])
  func report(_ report: PhoneReport) { #expect(PhoneReport("\(report)") == report) }

  @Test("A line feed in the reason does not end it")
  func reason() {
    let sent = PhoneReport.terminated(.init(code: "1", reason: "task \"a\nb\"", text: "c\nd"), Self.time)
    let read = PhoneReport.terminated(.init(code: "1", reason: "task \"a b\"", text: "c\nd"), Self.time)
    #expect(PhoneReport("\(sent)") == read)
  }

  @Test(
    "Anything else is refused",
    arguments: [
      "", " ", "hello", "hello x none", "state", "state x active", "state 1", "state 1 asleep",
      "task-began 1 x",
      "task-began 1", "still -1", "still x", "still 1 x", "still 1 -1",
      "still unlock", "still 1 2 3", "still 1 unlock 2", "watch 1", "socket 1", "location 1",
      "location 1 2", "location 1 x 2", "done 1", "done x active", "terminated",
      "terminated 1 code",
      "terminated 1 code\nreason", "unknown 1 2",
    ])
  func garbage(_ text: String) { #expect(PhoneReport(text) == nil) }

  @Test(
    "Every order is read as it was written",
    arguments: [
      LifecycleHappening.launch, .home, .foreground, .lock, .unlock, .interruptionBegan,
      .interruptionEnded(shouldResume: true), .interruptionEnded(shouldResume: false), .terminate,
      .memoryWarning,
      .fetch, .remoteControl, .locationChanged, .voipData, .keepAlive, .quit,
      .touch("a control"), .launchTask("org.example.a task"),
      .expireTask("org.example.task"), .backgroundSession("a session"), .backgroundSession(""),
      // Marks that form one character with a neighbour.
      .backgroundSession("\u{301}a\u{600}"), .launchTask("\u{301}"), .backgroundSession("a\r\nb done"),
    ])
  func order(_ happening: LifecycleHappening) {
    let order = PhoneOrder(number: 3, happening)
    #expect(PhoneOrder("\(order)") == order)
  }

  @Test("What a phone passes to its application is read as it was written, and nothing else")
  func invitation() {
    for modes in [nil, BackgroundModes(), BackgroundModes([.audio, .fetch])] {
      for isBackground in [false, true] {
        let invitation = PhoneInvitation(
          link: 5, transfers: 7, phone: 12, launchesInBackground: isBackground, modes: modes)
        #expect(PhoneInvitation("\(invitation)") == invitation)
      }
    }
    for text in ["", "5:7:12:front", "5:12:audio", "x:7:12:front:", "5:7:12:back:"] {
      #expect(PhoneInvitation(text) == nil)
    }
  }

  @Test(
    "Anything else is no order", arguments: ["", "home", "x home", "-1 home", "99999999999999999999 home"])
  func noOrder(_ text: String) { #expect(PhoneOrder(text) == nil) }

  @Test(
    "An unknown event keeps its number, so that it can be answered",
    arguments: ["1", "1 ", "1 house", "1 launch-task", "1 transfers of done"])
  func unknownOrder(_ text: String) throws {
    let order = try #require(PhoneOrder(text))
    #expect(order.number == 1 && order.happening == nil)
  }
}
