import AppLifecycle
import AudioCore
import AudioOutput
import PlaybackEngine
import QueuePlayer

/// The players of a test device: an environment in virtual time, and what joins it to the system side.
final class PlaybackConnection: Suspendable {
  let environment: PlaybackEnvironment

  init(
    clock: VirtualClock, output: SimulatedOutput, mainQueue: VirtualMainQueue, library: SongLibrary
  ) {
    var environment = PlaybackEnvironment(
      clock: clock, device: output, mainQueue: mainQueue, isOnMainQueue: { mainQueue.isCurrent },
      suspension: PlaybackSuspension())
    environment.makeSource = { [file = environment.makeSource] url, isPrecise in
      library.source(at: url) ?? file(url, isPrecise)
    }
    self.environment = environment
  }

  func connect(to device: Device) {
    device.add(self)
    environment.suspension.onActivityChange = { [weak device] activity in
      device?.setKeeping(.audio, activity == .playing, grace: activity == .waiting ? 5 : 0)
    }
  }

  func suspend() { environment.suspension.suspendAll() }
  func resume() { environment.suspension.resumeAll() }
  func terminate() { environment.suspension.closeAll() }
  func close() { environment.suspension.closeAll() }
}

extension PlaybackConnection {
  /// Runs `operation` with this environment as the current one.
  @MainActor
  func withCurrent<Result>(_ operation: @MainActor () async throws -> Result) async rethrows -> Result {
    let before = PlaybackEnvironment.current
    PlaybackEnvironment.current = environment
    defer { PlaybackEnvironment.current = before }
    return try await operation()
  }
}
