import AudioCore
import AudioOutput
import Clocks
import Foundation
import TestSupport
import Testing

/// A kind of output that the contract holds for.
struct OutputSubject: Sendable, CustomTestStringConvertible {
  enum Kind: Sendable {
    case simulated(SimulatedOutput.Personality)
    case wav
  }

  var name: String
  var kind: Kind
  var testDescription: String { name }

  /// Every personality, and the WAV file.
  static let all =
    SimulatedOutput.personalities.map { OutputSubject(name: $0.name, kind: .simulated($0.personality)) }
    + [OutputSubject(name: "WAV file", kind: .wav)]

  /// Those that live.
  static let immortal = all.filter { $0.personality?.death == nil }

  var personality: SimulatedOutput.Personality? {
    if case .simulated(let personality) = kind { personality } else { nil }
  }
}

/// Events with their moments.
typealias Diary = Collected<(time: HostTime, event: OutputEvent)>

/// An output in virtual time with all that it says.
final class OutputProbe {
  static let format = PCMFormat(sampleRate: 44_100, channelCount: 2)

  let subject: OutputSubject
  let clock = VirtualClock()
  let device: any AudioOutputDevice
  private let path: String?
  private let diary = Diary()

  init(_ subject: OutputSubject) {
    self.subject = subject
    switch subject.kind {
    case .simulated(let personality):
      path = nil
      device = SimulatedOutput(clock: clock, personality: personality)
    case .wav:
      let path = FileManager.default.temporaryDirectory.path + "/continuo-\(UUID()).wav"
      self.path = path
      device = WAVOutput(path: path, clock: clock)
    }
  }

  deinit {
    if let path { try? FileManager.default.removeItem(atPath: path) }
  }

  /// Events of all streams so far.
  var log: [OutputEvent] { diary.all.map(\.event) }
  var datedLog: [(time: HostTime, event: OutputEvent)] { diary.all }

  /// Opens a stream without waiting for anything.
  func makeStream(_ source: any RenderSource) -> any AudioOutputStream {
    device.makeStream(format: Self.format, source: source) { [diary, clock] event in
      diary.add((clock.now, event))
    }
  }

  /// Opens streams until one is open, as an engine does; nil if none is within 5 s.
  func open(_ source: any RenderSource) -> (any AudioOutputStream)? {
    for _ in 0..<20 {
      let before = log.count
      let stream = makeStream(source)
      clock.runUntilIdle()
      for _ in 0..<50 where log.count == before { clock.advance(bySeconds: 0.02) }
      if case .opened = log.dropFirst(before).first { return stream }
      stream.close()
      clock.advance(bySeconds: 0.05)
    }
    return nil
  }

  /// The frames that a listener has heard, of all streams, one after another.
  func heardSamples() throws -> [Float] {
    if let simulated = device as? SimulatedOutput { return simulated.recording.samples }
    guard let path else { return [] }
    return try WAVReader(path: path).samples
  }

  var timingChanges: Int { log.count { $0 == .timingChanged } }
}
