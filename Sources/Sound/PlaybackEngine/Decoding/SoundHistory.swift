import AudioCore
import DequeModule

/// The most recent frames produced at a speed other than 1. A change of speed starts in the middle of frames
/// produced ahead and has to join them without a click.
struct SoundHistory {
  let format: PCMFormat
  private let capacity: Int
  private var samples: [Float]
  /// The total number of frames appended.
  private var count = 0
  /// The appended chunks, each with the number of its first frame.
  private var chunks = Deque<(start: Int, chunk: Chunk)>()

  /// `capacity`: the number of frames to keep, at least as many as ring and device hold together.
  init(_ format: PCMFormat, capacity: Int) {
    self.format = format
    self.capacity = capacity
    samples = [Float](repeating: 0, count: capacity * format.channelCount)
  }

  private var channelCount: Int { format.channelCount }

  mutating func append(_ frames: UnsafeMutableBufferPointer<Float>, of chunk: Chunk) {
    chunks.append((count, chunk))
    for index in 0..<(chunk.frameCount * channelCount) {
      samples[(count * channelCount + index) % samples.count] = frames[index]
    }
    count += chunk.frameCount
    while let first = chunks.first, first.start + first.chunk.frameCount + capacity <= count {
      chunks.removeFirst()
    }
  }

  /// Returns at most `limit` frames that followed `run`; none if they have been overwritten.
  func frames(behind run: RenderedTimeline.Run, limit: Int) -> [Float] {
    let offset = run.offset + run.frameCount
    let found = chunks.last { entry in
      let chunk = entry.chunk
      return chunk.generation == run.generation && chunk.item == run.item && chunk.origin == run.origin
        && (chunk.offset..<chunk.offset + Int64(chunk.frameCount)).contains(offset)
    }
    guard let found else { return [] }
    let start = found.start + Int(offset - found.chunk.offset)
    guard start + capacity >= count else { return [] }
    return (start * channelCount..<min(count, start + limit) * channelCount).map {
      samples[$0 % samples.count]
    }
  }
}

/// A sound that fades out while its replacement fades in.
struct FadingSound {
  /// The interleaved frames; those before `position` have already faded.
  private let samples: [Float]
  private let channelCount: Int
  private var position = 0

  /// The length of the crossfade in frames: 10 ms, too short for hearing both sounds, long enough to avoid a
  /// click.
  static func frameCount(_ format: PCMFormat) -> Int { Int(0.01 * Double(format.sampleRate)) }

  init(_ samples: [Float], channelCount: Int) {
    self.samples = samples
    self.channelCount = channelCount
  }

  var isOver: Bool { position * channelCount >= samples.count }

  /// Mixes the next part of the fading sound into `buffer`, whose frames follow those of the last call.
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
