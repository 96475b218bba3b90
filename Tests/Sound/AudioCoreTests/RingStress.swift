import AudioCore
import Clocks
import Foundation
import Synchronization

/// Carries a noncopyable value into an escaping closure.
final class Parcel<Value: ~Copyable & Sendable>: Sendable {
  private let value: Mutex<Value>
  init(_ value: consuming Value) { self.value = Mutex(value) }
  func use<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
    value.withLock { value in body(&value) }
  }
}

/// The two sides of the ring's stress test. Frame n is (n & 0xFFFFFF, its negative); each chunk's offset is its first
/// frame's number.
enum RingStress {
  struct Result: Sendable, Equatable {
    var frames: Int
    var wrongSamples: Int
    var wrongChunks: Int
  }

  /// A small generator, so that both sides choose sizes without agreeing on them.
  struct Sizes {
    var state: UInt64
    mutating func next(upTo limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % (limit + 1)
    }
  }

  final class Writer: Sendable {
    private let total: Int
    private let state = Mutex((frame: 0, chunk: UInt64(0), sizes: Sizes(state: 1)))
    init(total: Int) { self.total = total }

    /// One chunk, sometimes a mark.
    func run(_ producer: inout RingProducer) -> WorkerNext {
      state.withLock { state in
        guard state.frame < total else { return .whenSignalled }
        let region = producer.writableRegion
        guard !region.isEmpty else {
          // For a loaded machine: else the thread spins until its time slice is over.
          sched_yield()
          return .again
        }
        let count = min(state.sizes.next(upTo: 700), region.count / 2, total - state.frame)
        for index in 0..<count {
          let value = Float((state.frame + index) & 0xFF_FFFF)
          region[2 * index] = value
          region[2 * index + 1] = -value
        }
        state.chunk += 1
        producer.commit(
          Chunk(
            generation: state.chunk, item: ItemID(rawValue: 1), origin: 0, offset: Int64(state.frame),
            frameCount: count,
            ending: count == 0 ? .end : .none))
        state.frame += count
        return .again
      }
    }
  }

  final class Reader: Sendable {
    private let total: Int
    private let state = Mutex(
      (result: Result(frames: 0, wrongSamples: 0, wrongChunks: 0), sizes: Sizes(state: 2)))
    private let chunk = Mutex(UInt64(0))
    init(total: Int) { self.total = total }

    /// A few frames of the head chunk.
    func run(_ consumer: inout RingConsumer, done: (Result) -> Void) -> WorkerNext {
      let result = state.withLock { state -> Result? in
        guard let head = consumer.peek() else {
          sched_yield()
          return nil
        }
        let isNext = chunk.withLock { number in
          defer { number = head.generation }
          return head.generation == number || head.generation == number + 1
        }
        if !isNext || head.offset != Int64(state.result.frames) || consumer.availableFrames < head.frameCount
        {
          state.result.wrongChunks += 1
        }
        guard head.frameCount > 0 else {
          if head.ending != .end { state.result.wrongChunks += 1 }
          consumer.skipChunk()
          return nil
        }
        let wanted = 1 + state.sizes.next(upTo: 500)
        withUnsafeTemporaryAllocation(of: Float.self, capacity: 2 * wanted) { buffer in
          let count = consumer.read(into: buffer, maxFrames: wanted)
          for index in 0..<count {
            let value = Float((state.result.frames + index) & 0xFF_FFFF)
            if buffer[2 * index] != value || buffer[2 * index + 1] != -value {
              state.result.wrongSamples += 1
            }
          }
          state.result.frames += count
        }
        return state.result.frames == total ? state.result : nil
      }
      if let result {
        done(result)
        return .whenSignalled
      }
      return .again
    }
  }
}
