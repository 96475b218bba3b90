import AppLifecycle
import Clocks
import Testing

@testable import JukeboxPlayback

/// What may be asked of the player while its application does not run.
@Suite struct TransportAdmissionTests {
  private let clock = VirtualClock()

  private func device(_ modes: String) -> Device {
    Device(modes: BackgroundModes(list: modes), clock: clock, mainQueue: Immediate(), isOnMainQueue: { true })
  }

  /// Runs what it gets at once.
  private final class Immediate: DeliveryQueue {
    func enqueue(_ work: @escaping @Sendable () -> Void) { work() }
  }

  @Test func nothingObeysBeforeALaunch() {
    let error = #expect(throws: TransportRefusal.self) { try device("audio").admitTransport() }
    #expect(error == .notRunning)
    #expect(error?.description == "the application is not running")
  }

  @Test @MainActor func suspendedApplicationIsWokenOnlyToPlay() throws {
    for (modes, isAdmitted) in [("none", false), ("fetch", false), ("audio", true)] {
      let device = device(modes)
      device.launch()
      clock.advance(bySeconds: 1)
      #expect(device.state == .active)
      try device.admitTransport()
      device.pressHomeButton()
      clock.advance(bySeconds: 1)
      #expect(device.state == .suspended)
      if isAdmitted {
        try device.admitTransport()
        #expect(device.state == .background)
        try device.admitTransport()
      } else {
        let error = #expect(throws: TransportRefusal.self) { try device.admitTransport() }
        #expect(error?.description == "the application is suspended and has no audio background mode")
        #expect(device.state == .suspended)
      }
    }
  }
}
