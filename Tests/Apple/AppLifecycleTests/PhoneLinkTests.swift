import Clocks
import Dispatch
import Glibc
import SystemSupport
import TestSupport
import Testing

@testable import AppLifecycle

/// The application's end of the connection to a phone. The phone's end stays open as long as the tests' process: its end
/// would end the process.
@Suite(.blocksThread, .timeLimit(.minutes(10))) struct PhoneLinkTests {
  /// A phone and its application.
  private struct Phone {
    let link: PhoneLink
    private let end: Int32

    init() throws {
      func pair(_ kind: __socket_type) throws -> (application: Int32, phone: Int32) {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(kind.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        return (ends[0], ends[1])
      }
      let (orders, transfers) = (try pair(SOCK_SEQPACKET), try pair(SOCK_STREAM))
      let invitation = PhoneInvitation(
        link: orders.application, transfers: transfers.application, phone: getpid(),
        launchesInBackground: false,
        modes: nil)
      link = try #require(PhoneLink("\(invitation)"))
      end = orders.phone
      var limit = timeval(tv_sec: 120, tv_usec: 0)
      setsockopt(end, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    func send(_ order: String) {
      let bytes = Array(order.utf8)
      #expect(Glibc.send(end, bytes, bytes.count, 0) == bytes.count)
    }

    /// Waits for the next report.
    func report() throws -> PhoneReport {
      var bytes = [UInt8](repeating: 0, count: PhoneReport.limit)
      let count = recv(end, &bytes, bytes.count, 0)
      try #require(count > 0)
      return try #require(PhoneReport(String(decoding: bytes[..<count], as: UTF8.self)))
    }
  }

  @Test(
    "An unknown order for a suspended application is answered, and the application may be stopped again",
    arguments: [true, false])
  func unknownOrder(isLocked: Bool) async throws {
    let phone = try Phone()
    let device = Device(modes: BackgroundModes(), clock: SystemClock.shared)
    await device.launch()
    if isLocked { await device.lock() } else { await device.pressHomeButton() }
    while device.state != .suspended { try await Task.sleep(for: .milliseconds(1)) }
    phone.link.attach(device)
    #expect(try phone.report() == .hello(BackgroundModes(), .suspended))
    phone.send("7 an event of another version")
    #expect(
      try phone.report() == .refused("the phone's event 7 is unknown to this version of the application"))
    #expect(try phone.report() == .done(7, .suspended))
    guard case .still(_, _, returnsOnUnlock: isLocked) = try phone.report() else {
      Issue.record("no rest")
      return
    }
  }

  @Test(
    "A device whose observer does not return is reported, so that the phone ends the application",
    arguments: [
      // Without an interruption its end has no effect, and so makes no call with a limit.
      LifecycleHappening.interruptionEnded(shouldResume: false),
      // The call of `willResignActive` exceeds its limit while the observer hangs.
      .home,
    ])
  func hang(_ event: LifecycleHappening) throws {
    let phone = try Phone()
    var settings = LifecycleSettings()
    (settings.callLimit, settings.foregroundCallLimit) = (0.1, 0.4)
    let device = Device(
      modes: BackgroundModes(), clock: SystemClock.shared, settings: settings, isActive: true)
    let gate = DispatchSemaphore(value: 0)
    defer { gate.signal() }
    device.onRecord = { if $0.event == .happened(event) { gate.wait() } }
    _ = device.application.beginBackgroundTask(withName: "upload")
    phone.link.attach(device)
    #expect(try phone.report() == .hello(BackgroundModes(), .active))
    phone.send("1 \(event)")
    guard case .terminated(let fault?, _) = try phone.report() else {
      Issue.record("no hang")
      return
    }
    #expect(fault.code == "0x8badf00d")
    #expect(fault.reason.hasPrefix("an observer of the device had not returned after "))
    #expect(fault.reason.hasSuffix(" s (allowed: 0.40 s)"))
    // The facts are those of any other termination.
    #expect(fault.text.contains("\n  State: active\n  Background modes: none\n"))
    #expect(fault.text.contains("\n  Open background tasks:\n    \"upload\", begun "))
    gate.signal()
    while try phone.report() != .done(1, event == .home ? .notRunning : .active) {}
  }
}
