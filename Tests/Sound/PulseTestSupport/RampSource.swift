import AudioCore
import Synchronization

/// Renders frames whose samples are their own numbers, so that a capture shows which frame was heard where.
///
/// The left sample of frame n is (n mod 2²² + 1) / 2²⁴, which a float holds exactly; the right one its negative.
package final class RampSource: RenderSource {
  private struct State {
    var available: Int64
    var isAtEnd = false
    var rendered: Int64 = 0
    var calls = 0
    var isConsecutive = true
    var isRendering = false
  }
  private let state: Mutex<State>
  private let channelCount: Int

  /// A ramp that has `available` frames so far (default: for ever), and ends there or not.
  package init(available: Int64 = .max, isAtEnd: Bool = false, channelCount: Int = 2) {
    state = Mutex(State(available: available, isAtEnd: isAtEnd))
    self.channelCount = channelCount
  }

  /// Makes more frames available.
  package func extend(to frame: Int64, isAtEnd: Bool = false) {
    state.withLock {
      $0.available = frame
      $0.isAtEnd = isAtEnd
    }
  }

  /// Frames rendered so far.
  package var rendered: Int64 { state.withLock { $0.rendered } }
  /// Calls of `render` so far.
  package var calls: Int { state.withLock { $0.calls } }
  /// Whether each call began with the frame after the last one's, and no two overlapped.
  package var isConsecutive: Bool { state.withLock { $0.isConsecutive } }

  /// The numbers.
  package func render(into buffer: UnsafeMutableBufferPointer<Float>, firstFrame: Int64) -> Int {
    let count = state.withLock { state -> Int in
      state.calls += 1
      if state.rendered != firstFrame || state.isRendering { state.isConsecutive = false }
      state.isRendering = true
      return Int(min(Int64(buffer.count / channelCount), max(0, state.available - firstFrame)))
    }
    for index in 0..<count {
      let value = Self.sample(firstFrame + Int64(index))
      for channel in 0..<channelCount {
        buffer[index * channelCount + channel] = channel == 0 ? value : -value
      }
    }
    state.withLock {
      $0.rendered = firstFrame + Int64(count)
      $0.isRendering = false
    }
    return count
  }

  /// Whether all was rendered that there will be.
  package var isAtEnd: Bool { state.withLock { $0.isAtEnd && $0.rendered >= $0.available } }

  /// The left sample of a frame.
  package static func sample(_ frame: Int64) -> Float { Float(frame % (1 << 22) + 1) / 16_777_216 }

  /// The frame of a left sample; nil for silence and for what no frame has.
  package static func frame(_ sample: Float) -> Int64? {
    let number = sample * 16_777_216
    guard number >= 1, number == number.rounded() else { return nil }
    return Int64(number) - 1
  }
}
