public import AppLifecycle
import QueuePlayer
import Synchronization

/// Runs `operation` with a device of its own, in virtual time, on which no application runs yet.
///
/// ```swift
/// @Test @MainActor func musicGoesOn() async throws {
///   try await withTestDevice(modes: [.audio]) { device in
///     await device.launch(AppDelegate())
///     await device.advance(by: .seconds(5))
///     await device.pressHomeButton()
///     #expect(device.state == .background)
///   }
/// }
/// ```
///
/// Inside, and in all tasks started there but detached ones, `UIApplication.shared`, `PlaybackEnvironment.current`
/// and `AVAudioSession.sharedInstance()` are this device's. Because `NotificationCenter.default` is one for the whole
/// process, devices take turns: tests that run in parallel wait here for each other, in the order in which they came.
/// Stops the program when called inside of another `operation`.
///
/// - Parameters:
///   - modes: the application's background modes. Those of a property list: `BackgroundModes.modes`.
///   - settings: the times that the application is allowed.
///   - output: how the sound output behaves.
///   - recordsSound: whether `TestDevice.heard` is kept: about 20 MB for a minute of sound.
///     Without it half an hour that nobody observes takes a tenth of a second in a debug build, else two.
///   - operation: the test.
/// - Returns: what `operation` returns.
@MainActor
public func withTestDevice<Result>(
  modes: Set<BackgroundMode> = [], settings: LifecycleSettings = LifecycleSettings(),
  output: TestOutput = .ideal, recordsSound: Bool = true,
  operation: @MainActor (TestDevice) async throws -> Result
) async rethrows -> Result {
  precondition(!TestDeviceTurn.isInside, "a test has one test device at a time")
  await TestDeviceTurn.begin()
  MainActorTurns.begin()
  defer {
    MainActorTurns.end()
    TestDeviceTurn.end()
  }
  let device = TestDevice(modes: modes, settings: settings, output: output, recordsSound: recordsSound)
  do {
    let result = try await device.inside { try await operation(device) }
    await device.close()
    return result
  } catch {
    await device.close()
    throw error
  }
}

extension TestDevice {
  /// Runs `operation` where everything that is one per process is this device's.
  fileprivate func inside<Result>(_ operation: @MainActor () async throws -> Result) async rethrows -> Result
  {
    try await TestDeviceTurn.$isInside.withValue(true) {
      try await Device.withCurrent(system) {
        try await PlaybackEnvironment.withCurrent(environment) { try await operation() }
      }
    }
  }
}

/// Lets one test device exist at a time.
enum TestDeviceTurn {
  @TaskLocal static var isInside = false

  private struct State {
    var isTaken = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private static let state = Mutex(State())

  /// Returns when it is the caller's turn.
  nonisolated(nonsending) static func begin() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        guard state.isTaken else {
          state.isTaken = true
          return true
        }
        state.waiting.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
  }

  /// Lets the next one in.
  static func end() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard !state.waiting.isEmpty else {
        state.isTaken = false
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume()
  }
}
