import AudioCore
import Clocks
import Synchronization

/// An output that does nothing by itself: the test says what happens when, in any order that real threads could
/// choose.
final class ManualDevice: AudioOutputDevice {
  let isOffline: Bool
  private let opened = Mutex<[ManualStream]>([])

  init(isOffline: Bool = false) { self.isOffline = isOffline }

  /// Every stream that was ever asked for.
  var streams: [ManualStream] { opened.withLock { $0 } }

  func makeStream(
    format: PCMFormat, source: any RenderSource, events: @escaping @Sendable (OutputEvent) -> Void
  ) -> any AudioOutputStream {
    let stream = ManualStream(format: format, source: source, events: events)
    opened.withLock { $0.append(stream) }
    return stream
  }
}

final class ManualStream: AudioOutputStream {
  enum Call: Equatable { case start, stop, flush, data, volume(Float), close }

  let format: PCMFormat
  private let source: any RenderSource
  private let events: @Sendable (OutputEvent) -> Void
  private struct State {
    var calls: [Call] = []
    var flushes: [@Sendable (Int64) -> Void] = []
    var timing: OutputTiming
  }
  private let state: Mutex<State>

  init(format: PCMFormat, source: any RenderSource, events: @escaping @Sendable (OutputEvent) -> Void) {
    self.format = format
    self.source = source
    self.events = events
    state = Mutex(
      State(
        timing: OutputTiming(
          heardFrame: 0, hostTime: HostTime(nanoseconds: 0), frameRate: 0, renderedFrames: 0)))
  }

  func start() { note(.start) }
  func stop() { note(.stop) }
  func dataAvailable() { note(.data) }
  func replaceFrames() {}
  func setVolume(_ volume: Float, muted: Bool) { note(.volume(volume)) }
  func close() { note(.close) }
  func timing() -> OutputTiming { state.withLock { $0.timing } }
  var isStill: Bool { timing().frameRate == 0 }
  func flush(completion: @escaping @Sendable (Int64) -> Void) {
    note(.flush)
    state.withLock { $0.flushes.append(completion) }
  }
  private func note(_ call: Call) { state.withLock { $0.calls.append(call) } }

  // MARK: The test's side

  var calls: [Call] { state.withLock { $0.calls } }

  func send(_ event: OutputEvent) { events(event) }

  /// Takes up to `count` frames; returns the left channel.
  @discardableResult
  func render(_ count: Int) -> [Float] {
    let first = state.withLock { $0.timing.renderedFrames }
    let left = withUnsafeTemporaryAllocation(of: Float.self, capacity: count * format.channelCount) {
      buffer in
      buffer.initialize(repeating: .nan)
      let frames = source.render(into: buffer, firstFrame: first)
      return (0..<frames).map { buffer[$0 * format.channelCount] }
    }
    state.withLock { $0.timing.renderedFrames += Int64(left.count) }
    return left
  }

  /// What is heard from now on: `frame` at `time`, going on at `rate`.
  func hear(_ frame: Double, at time: HostTime, rate: Double = 0) {
    state.withLock {
      $0.timing.heardFrame = frame
      $0.timing.hostTime = time
      $0.timing.frameRate = rate
    }
    events(.timingChanged)
  }

  /// Answers the oldest flush.
  func answerFlush(firstDropped: Int64) {
    let answer = state.withLock { state in
      state.timing.heardFrame = Double(state.timing.renderedFrames)
      return state.flushes.isEmpty ? nil : state.flushes.removeFirst()
    }
    answer?(firstDropped)
  }
}
