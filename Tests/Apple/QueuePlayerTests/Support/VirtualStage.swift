import AudioCore
import AudioOutput
import CMarks
import Clocks
import Continuo
import Foundation
import MediaTime
import PlaybackEngine
import QueuePlayer
import Synchronization
import TestSupport

/// An environment in virtual time: a simulated output and a main queue that the clock runs. The test's thread is the
/// main queue's.
final class VirtualStage: Sendable {
  let clock = VirtualClock(runLimit: 100_000)
  let output: SimulatedOutput
  let mainQueue: ClockQueue
  let library = Library()
  let diagnostics = Log<PlaybackDiagnostic>()
  let environment: PlaybackEnvironment
  var suspension: PlaybackSuspension { environment.suspension }
  var session: AVAudioSession { environment.audioSession }

  /// `playsFiles`: the media are real files and not those of `library`.
  init(
    personality: SimulatedOutput.Personality = SimulatedOutput.Personality(), playsFiles: Bool = false,
    recordsSound: Bool = false, stretching: any TimeStretching = FramePicker()
  ) {
    let output = SimulatedOutput(clock: clock, personality: personality, recordsSound: recordsSound)
    let mainQueue = ClockQueue(clock: clock)
    self.output = output
    self.mainQueue = mainQueue
    var environment = PlaybackEnvironment(
      clock: clock, device: output, stretching: stretching, mainQueue: mainQueue,
      isOnMainQueue: { mainQueue.isCurrent },
      onDiagnostic: { [diagnostics] diagnostic in diagnostics.add(diagnostic) })
    if !playsFiles {
      environment.makeSource = { [library] url, _ in library.source(url) }
    }
    self.environment = environment
  }

  /// Lets that many seconds pass.
  func pass(_ seconds: Double) { clock.advance(bySeconds: seconds) }

  /// Runs what is due without letting time pass.
  func settle() { clock.runUntilIdle() }

  /// An item of a medium that lasts `seconds`.
  func item(_ name: String, seconds: Double = 1, sampleRate: Int = 44_100) -> AVPlayerItem {
    AVPlayerItem(
      asset: AVURLAsset(
        url: library.add(name, seconds: seconds, sampleRate: sampleRate), environment: environment))
  }

  /// An item of a file that is not there.
  func missingItem(_ name: String) -> AVPlayerItem {
    AVPlayerItem(asset: AVURLAsset(url: URL(fileURLWithPath: "/\(name)"), environment: environment))
  }

  func queuePlayer(_ items: [AVPlayerItem]) -> AVQueuePlayer {
    AVQueuePlayer(items: items, environment: environment)
  }

  func queuePlayer(_ snapshot: PlayerSnapshot) -> AVQueuePlayer {
    AVQueuePlayer(snapshot: snapshot, environment: environment)
  }

  /// The frames that were heard, as their places in their media.
  var heardFrames: [Int64] {
    output.recording.runs.flatMap { run in
      stride(from: 0, to: run.samples.count, by: run.format.channelCount).map {
        Int64(run.samples[$0] * 16_777_216)
      }
    }
  }

  /// The left channel, as it was heard.
  var heard: [Float] {
    let samples = output.recording.samples
    return stride(from: 0, to: samples.count, by: 2).map { samples[$0] }
  }

  /// What the medium has at that frame.
  func sample(_ frame: Int) -> Float { Float(frame) / 16_777_216 }

  func player(_ item: AVPlayerItem?) -> AVPlayer { AVPlayer(playerItem: item, environment: environment) }
}

/// Synthetic media by their URLs.
final class Library: Sendable {
  private let media = Mutex<[URL: RampSource]>([:])

  func add(_ name: String, seconds: Double, sampleRate: Int = 44_100) -> URL {
    add(name, RampSource(frames: Int64((seconds * Double(sampleRate)).rounded()), sampleRate: sampleRate))
  }

  func add(_ name: String, _ source: RampSource) -> URL {
    let url = URL(fileURLWithPath: "/\(name)")
    media.withLock { $0[url] = source }
    return url
  }

  func source(_ url: URL) -> any MediaSource {
    media.withLock { $0[url] } ?? RampSource(frames: 0, failure: .opening(.notFound))
  }
}

/// A medium whose samples say where they are in it.
struct RampSource: MediaSource {
  enum Failure: Hashable, Sendable {
    /// It cannot be opened.
    case opening(DecodingError.Reason)
    /// It breaks off there: a read that reaches the frame fails.
    case decoding(atFrame: Int64)
    /// Nothing at all can be decoded.
    case engine
  }

  var frames: Int64
  var sampleRate = 44_100
  var announcedFrames: FrameCount?
  var failure: Failure?
  var bitRate = 0
  var replayGain = ReplayGain()
  /// Called when `replayGain` is read.
  var onReplayGain: (@Sendable () -> Void)?

  init(frames: Int64, sampleRate: Int = 44_100, announced: FrameCount? = nil, failure: Failure? = nil) {
    self.frames = frames
    self.sampleRate = sampleRate
    self.announcedFrames = announced
    self.failure = failure
  }

  func open(whenBytesCome callback: @escaping @Sendable () -> Void) -> MediaOpening {
    MediaOpening { () throws(DecodingError) in
      switch failure {
      case .opening(let reason): throw DecodingError(reason: reason, message: "cannot be opened")
      case .engine: throw DecodingError(scope: .engine, reason: .unusable, message: "out of memory")
      case .decoding, nil: return RampDecoder(self)
      }
    }
  }
}

final class RampDecoder: AudioDecoder {
  private let source: RampSource
  private var output: PCMFormat
  private var position: Int64 = 0
  private var isAtEnd = false

  init(_ source: RampSource) {
    self.source = source
    output = PCMFormat(sampleRate: source.sampleRate, channelCount: 2)
  }

  var format: PCMFormat { PCMFormat(sampleRate: source.sampleRate, channelCount: 2) }
  var frameCount: FrameCount {
    isAtEnd ? .exact(source.frames) : source.announcedFrames ?? .exact(source.frames)
  }
  var bitRate: Int { source.bitRate }

  func readReplayGain() throws(DecodingError) -> ReplayGain {
    source.onReplayGain?()
    return source.replayGain
  }

  func setOutputFormat(_ format: PCMFormat) throws(DecodingError) { output = format }

  func seek(toFrame frame: Int64, isExact: Bool) throws(DecodingError) -> Int64? {
    let target = min(max(0, frame), source.frames)
    position = outputFrames(target)
    return target
  }

  private func outputFrames(_ frames: Int64) -> Int64 {
    (frames * Int64(output.sampleRate) + Int64(source.sampleRate) - 1) / Int64(source.sampleRate)
  }

  func read(into buffer: UnsafeMutableBufferPointer<Float>) throws(DecodingError) -> DecoderRead {
    let end = outputFrames(source.frames)
    var limit = end
    if case .decoding(let frame) = source.failure {
      limit = min(end, outputFrames(frame))
      if position >= limit { throw DecodingError(reason: .decodeFailed, message: "broken off") }
    }
    let count = Int(min(Int64(buffer.count / output.channelCount), limit - position))
    let step: Float = 1 / 16_777_216
    if output.channelCount == 2, position + Int64(count) <= 16_777_216, let target = buffer.baseAddress {
      let first = Float(position) * step
      let marks = continuo_marks(left: first, right: first, left_step: step, right_step: step)
      continuo_marks_write(target, count, marks)
    } else {
      for index in 0..<(count * output.channelCount) {
        buffer[index] = Float((position + Int64(index / output.channelCount)) % 16_777_216) * step
      }
    }
    position += Int64(count)
    if source.failure == nil, position >= end { isAtEnd = true }
    return count == 0 ? .end : .frames(count)
  }
}

/// Things in the order in which they came.
final class Log<Entry: Sendable>: Sendable {
  private let storage = Mutex<[Entry]>([])
  func add(_ entry: Entry) { storage.withLock { $0.append(entry) } }
  var entries: [Entry] { storage.withLock { $0 } }
  func clear() { storage.withLock { $0 = [] } }
}
