import AudioCore
import DequeModule

/// The decoder's frames at another speed than 1: one stream of sound over all items, so that their seams sound as they do
/// at speed 1.
///
/// An item's frame n comes out as frame n / speed behind the item's first one, and of all frames that go in there come out
/// as many as the speed says, rounded up: what the stretcher holds back is fetched with silence at the end.
struct PacedSound: ~Copyable {
  /// A part of the stream: what was decoded of one item.
  private struct Piece {
    var item: ItemID
    var origin: Int64
    /// The number of its first frame in the stream that comes out.
    var firstFrame: Int64
    /// The number behind its last frame, and what follows; nil while more is put in.
    var end: (frame: Int64, ending: Chunk.Ending)?
  }

  /// Frames of silence after which a stretcher that gives nothing is not waited for: far more than any holds back.
  private static let silenceLimit = 1 << 18
  private static let silence = [Float](repeating: 0, count: 2048)

  let generation: UInt64
  let pace: Pace
  private let channelCount: Int
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
    channelCount = format.channelCount
    stretcher = try stretching.makeStretcher(format: format, pace: pace)
  }

  /// Whether more comes out, after silence if nothing else is put in.
  var isPending: Bool { !pieces.isEmpty }

  /// What is put next belongs to `item`, from its frame `origin` on.
  mutating func begin(_ item: ItemID, origin: Int64) {
    pieces.append(Piece(item: item, origin: origin, firstFrame: frame(ofPut: putFrames)))
  }

  mutating func put(_ frames: UnsafeBufferPointer<Float>) {
    stretcher.put(frames)
    putFrames += Int64(frames.count / channelCount)
  }

  /// The item that was begun last ends here.
  mutating func end(_ ending: Chunk.Ending) {
    guard let last = pieces.indices.last else { return }
    pieces[last].end = (frame(ofPut: putFrames), ending)
  }

  /// Lets what is held back come out.
  mutating func putSilence() {
    Self.silence.withUnsafeBufferPointer { stretcher.put($0) }
    silenceLeft -= Self.silence.count / channelCount
  }

  /// Writes the next frames, all of one item, to the start of `buffer` and returns what they are; nil when more has to be
  /// put first.
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
