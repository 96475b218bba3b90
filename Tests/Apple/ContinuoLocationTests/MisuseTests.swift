import ContinuoLocation
import ContinuoTesting
import Testing

/// Where Apple's classes throw an exception the program stops with the reason.
@MainActor @Suite("Misuse stops the program", .timeLimit(.minutes(10)))
struct MisuseTests {
  @Test("allowsBackgroundLocationUpdates without the mode stops the program, as on Apple's systems")
  func trap() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      await withTestDevice { _ in CLLocationManager().allowsBackgroundLocationUpdates = true }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("needs the background mode location"))
  }
}
