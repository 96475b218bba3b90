public import AppLifecycle
import AudioSession
import Synchronization

/// Runs `operation` with a new device in virtual time, whose application is not running yet. Returns the
/// result of `operation`.
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
/// Inside `operation`, and in all tasks started there except detached ones, `UIApplication.shared`,
/// `PlaybackEnvironment.current` and `AVAudioSession.sharedInstance()` belong to this device.
/// `NotificationCenter.default` is shared by the whole process, so only one device exists at a time. Parallel
/// tests wait in this function for each other, in the order of arrival. Stops the program when called inside
/// another `operation`.
///
/// - Parameters:
///   - modes: the application's background modes. For those of a property list, use `BackgroundModes.modes`.
///   - settings: the time limits and other life-cycle rules for the application.
///   - output: the simulated sound output.
///   - recordsSound: whether to record `TestDevice.heard`, which needs about 20 MB per minute of sound. In a
///     debug build, half an hour without observers takes 2 s with recording and 0.1 s without.
///   - operation: the test.
@MainActor public func withTestDevice<Result>(
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
    // `Device.current` and `PlaybackEnvironment.current` are those of the test device inside `operation`.
    let result = try await TestDeviceTurn.$isInside.withValue(true) {
      try await Device.withCurrent(device.system) {
        try await PlaybackEnvironment.withCurrent(device.environment) { try await operation(device) }
      }
    }
    await device.close()
    return result
  } catch {
    await device.close()
    throw error
  }
}

/// Ensures that only one test device exists at a time.
enum TestDeviceTurn {
  @TaskLocal static var isInside = false

  private struct State {
    var isTaken = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private static let state = Mutex(State())

  nonisolated(nonsending) static func begin() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        defer { state.isTaken = true }
        if state.isTaken { state.waiting.append(continuation) }
        return !state.isTaken
      }
      if isFree { continuation.resume() }
    }
  }

  static func end() {
    let next = state.withLock { state in
      state.isTaken = !state.waiting.isEmpty
      return state.isTaken ? state.waiting.removeFirst() : nil
    }
    next?.resume()
  }
}
