import AudioCore
import DequeModule

/// The last seconds of sound that was made at another speed than 1. A new speed begins in the middle of what was made
/// ahead, and has to join it without a click.
struct SoundHistory {
  /// What the ring and the device hold, and some: 3 s at 44.1 kHz.
  private static let capacity = 1 << 17

  private let channelCount: Int
  private var samples: [Float]
  /// Frames noted in all.
  private var count = 0
  /// What was noted, with the number of the first frame.
  private var chunks = Deque<(start: Int, chunk: Chunk)>()

  init(channelCount: Int) {
    self.channelCount = channelCount
    samples = [Float](repeating: 0, count: Self.capacity * channelCount)
  }

  /// Notes the frames of `chunk`.
  mutating func append(_ frames: UnsafeMutableBufferPointer<Float>, of chunk: Chunk) {
    chunks.append((count, chunk))
    for index in 0..<(chunk.frameCount * channelCount) {
      samples[(count * channelCount + index) % samples.count] = frames[index]
    }
    count += chunk.frameCount
    while let first = chunks.first, first.start + first.chunk.frameCount + Self.capacity <= count {
      chunks.removeFirst()
    }
  }

  /// At most `limit` frames that followed `run`; none if they are not known any more.
  func frames(behind run: RenderedTimeline.Run, limit: Int) -> [Float] {
    let offset = run.offset + run.frameCount
    let found = chunks.last { entry in
      let chunk = entry.chunk
      return chunk.generation == run.generation && chunk.item == run.item && chunk.origin == run.origin
        && (chunk.offset..<chunk.offset + Int64(chunk.frameCount)).contains(offset)
    }
    guard let found else { return [] }
    let start = found.start + Int(offset - found.chunk.offset)
    guard start + Self.capacity >= count else { return [] }
    return (start * channelCount..<min(count, start + limit) * channelCount).map {
      samples[$0 % samples.count]
    }
  }
}

/// Sound that fades out while other sound, which takes its place, fades in.
struct FadingSound {
  /// Interleaved frames; those in front of `position` have faded.
  private let samples: [Float]
  private let channelCount: Int
  private var position = 0

  /// Seconds that the two overlap: too short to be heard as two, long enough for no click.
  static let duration = 0.01

  init(_ samples: [Float], channelCount: Int) {
    self.samples = samples
    self.channelCount = channelCount
  }

  var isOver: Bool { position * channelCount >= samples.count }

  /// Mixes itself into frames that follow those of the last call.
  mutating func mix(into buffer: UnsafeMutableBufferPointer<Float>, frames: Int) {
    let length = samples.count / channelCount
    let count = min(frames, length - position)
    for frame in 0..<max(0, count) {
      let weight = (Float(position + frame) + 1) / Float(length + 1)
      for channel in 0..<channelCount {
        let old = samples[(position + frame) * channelCount + channel]
        buffer[frame * channelCount + channel] = old + (buffer[frame * channelCount + channel] - old) * weight
      }
    }
    position += count
  }
}
