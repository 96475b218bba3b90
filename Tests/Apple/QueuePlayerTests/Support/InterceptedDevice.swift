import AudioCore
import AudioOutput
import Clocks
import Continuo
import Synchronization
import TestSupport

/// A simulated output that calls a closure, once, in the middle of a call of the application.
final class InterceptedDevice: AudioOutputDevice {
  /// Called when the session subscribes to the output: in the middle of its activation.
  let onActivation = Mutex<(@Sendable () -> Void)?>(nil)
  /// Called when the output is to connect: in the middle of the insertion of a player's first item.
  let onPreparation = Mutex<(@Sendable () -> Void)?>(nil)
  let subscriptions = Atomic<Int>(0)
  private let output: SimulatedOutput

  init(_ output: SimulatedOutput) { self.output = output }

  func prepare() { onPreparation.withLock { $0.take() }?() }

  func followSurroundings(_ handler: @escaping @Sendable (OutputSurroundings) -> Void) {
    subscriptions.add(1, ordering: .relaxed)
    onActivation.withLock { $0.take() }?()
  }

  func makeStream(
    format: PCMFormat, source: any RenderSource, events: @escaping @Sendable (OutputEvent) -> Void
  ) -> any AudioOutputStream { output.makeStream(format: format, source: source, events: events) }
}

extension VirtualStage {
  /// An environment like the stage's, with another output.
  func environment(with device: InterceptedDevice) -> PlaybackEnvironment {
    PlaybackEnvironment(
      clock: clock, device: device, mainQueue: mainQueue,
      isOnMainQueue: { [mainQueue] in mainQueue.isCurrent },
      makeSource: { [library] url, _ in library.source(url) })
  }
}
