import AudioCore
import DequeModule

/// A continuous time-stretched stream of the decoder's frames at a speed other than 1. All items share the
/// stretcher, so that one item follows another as gaplessly as at speed 1.
///
/// Input frame n of an item becomes output frame n / speed after the item's first frame. The output length is
/// the input length divided by the speed, rounded up. Silence at the end flushes the frames that the
/// stretcher retains.
struct PacedSound: ~Copyable {
  /// The part of the stream that belongs to one item.
  private struct Piece {
    var item: ItemID
    var origin: Int64
    /// The output frame number of the item's first frame.
    var firstFrame: Int64
    /// The output frame number after the item's last frame, and how the item ends; nil while input continues.
    var end: (frame: Int64, ending: Chunk.Ending)?
  }

  /// The number of silent frames after which a stretcher without output is given up. No stretcher retains
  /// that many frames.
  private static let silenceLimit = 1 << 18
  private static let silence = [Float](repeating: 0, count: 2048)

  let generation: UInt64
  let pace: Pace
  let format: PCMFormat
  private let stretcher: any TimeStretcher
  private var pieces = Deque<Piece>()
  private var putFrames: Int64 = 0
  private var madeFrames: Int64 = 0
  private var silenceLeft = Self.silenceLimit

  init(
    generation: UInt64, pace: Pace, format: PCMFormat, stretching: any TimeStretching
  ) throws(TimeStretchError) {
    self.generation = generation
    self.pace = pace
    self.format = format
    stretcher = try stretching.makeStretcher(format: format, pace: pace)
  }

  /// Whether output remains. If no other input follows, `putSilence` must flush it.
  var isPending: Bool { !pieces.isEmpty }
  /// Whether silence follows the input of the pending output, so that no other input can follow it.
  var isDraining: Bool { isPending && silenceLeft < Self.silenceLimit }
  private var channelCount: Int { format.channelCount }

  /// Starts a new piece: the next input belongs to `item`, from its frame `origin`.
  mutating func begin(_ item: ItemID, origin: Int64) {
    pieces.append(Piece(item: item, origin: origin, firstFrame: frame(ofPut: putFrames)))
  }

  mutating func put(_ frames: UnsafeBufferPointer<Float>) {
    stretcher.put(frames)
    putFrames += Int64(frames.count / channelCount)
  }

  mutating func end(_ ending: Chunk.Ending) {
    guard let last = pieces.indices.last else { return }
    pieces[last].end = (frame(ofPut: putFrames), ending)
  }

  mutating func putSilence() {
    Self.silence.withUnsafeBufferPointer { stretcher.put($0) }
    silenceLeft -= Self.silence.count / channelCount
  }

  /// Writes the next frames, all of one item, to `buffer` and returns their chunk; nil if more input is
  /// needed.
  mutating func receive(into buffer: UnsafeMutableBufferPointer<Float>) -> Chunk? {
    guard let piece = pieces.first else { return nil }
    let limit = piece.end?.frame ?? frame(ofPut: putFrames) - 1
    let wanted = max(0, min(buffer.count / channelCount, Int(limit - madeFrames)))
    var count = 0
    if wanted > 0 {
      let part = UnsafeMutableBufferPointer(rebasing: buffer[..<(wanted * channelCount)])
      count = stretcher.receive(into: part)
      if count == 0, silenceLeft <= 0 {
        part.update(repeating: 0)
        count = wanted
      }
    }
    let offset = madeFrames - piece.firstFrame
    madeFrames += Int64(count)
    let isOver = madeFrames == piece.end?.frame
    guard count > 0 || isOver else { return nil }
    if isOver { pieces.removeFirst() }
    return Chunk(
      generation: generation, item: piece.item, origin: piece.origin, offset: offset, frameCount: count,
      ending: isOver ? piece.end?.ending ?? .none : .none, speed: pace.speed)
  }

  private func frame(ofPut count: Int64) -> Int64 { Int64((Double(count) / pace.speed).rounded(.up)) }
}
