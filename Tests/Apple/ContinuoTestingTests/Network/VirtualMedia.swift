import AudioCore
import Clocks
import Foundation
import MP3Decoding
import SoundFileDecoding
import Synchronization
import TestSupport
import Transfer

@testable import ContinuoTesting
@testable import RemoteMedia

/// Media on a simulated network, without a player.
struct VirtualMedia {
  let clock = VirtualClock(runLimit: 200_000)
  let network: SimulatedNetwork

  init() { network = SimulatedNetwork(clock: clock) }

  struct Stuck: Error {}

  func medium(at url: String, folders: [String] = [], seed: UInt64 = 1) throws -> RemoteMedium {
    var environment = RemoteEnvironment(
      transport: network, clock: clock, cache: MediaCache(folders: folders))
    environment.makeSeed = { seed }
    environment.makeOpening = MarkedStreamDecoder.open
    return RemoteMedium(
      url: try WebURL.read(url).url, settings: RequestSettings(userAgent: "test"), environment: environment)
  }

  /// Decodes from a frame to the end, and lets time pass while bytes are missing, up to `limit` seconds.
  func samples(
    of source: some MediaSource, from frame: Int64 = 0, limit: Double = 3_600
  ) throws -> [Float] {
    try Self.samples(of: source, from: frame) { hasCome in
      while !hasCome() {
        guard let next = clock.nextDeadline, next.seconds < limit else { throw Stuck() }
        clock.advance(to: next)
      }
    }
  }

  /// Decodes a file to the end.
  static func samples(of file: AudioFile) throws -> [Float] {
    try samples(of: file, from: 0) { _ in throw Stuck() }
  }

  /// - Parameter wait: returns when `hasCome` says that bytes came.
  private static func samples(
    of source: some MediaSource, from frame: Int64, wait: (_ hasCome: () -> Bool) throws -> Void
  ) throws -> [Float] {
    let calls = Mutex(0)
    func waitForBytes(after seen: Int) throws { try wait { calls.withLock { $0 } > seen } }
    let opening = source.open { calls.withLock { $0 += 1 } }
    var seen = 0
    var opened = try opening.proceed()
    while opened == nil {
      try waitForBytes(after: seen)
      seen = calls.withLock { $0 }
      opened = try opening.proceed()
    }
    guard let decoder = opened else { return [] }
    while frame > 0 {
      seen = calls.withLock { $0 }
      if try decoder.seek(toFrame: frame) != nil { break }
      try waitForBytes(after: seen)
    }
    var samples: [Float] = []
    var buffer = [Float](repeating: 0, count: 4_096 * decoder.format.channelCount)
    while true {
      seen = calls.withLock { $0 }
      switch try buffer.withUnsafeMutableBufferPointer({ try decoder.read(into: $0) }) {
      case .frames(let count): samples += buffer[..<(count * decoder.format.channelCount)]
      case .end: return samples
      case .waiting: try waitForBytes(after: seen)
      }
    }
  }
}

/// Keeps what a transfer brings, with the moments.
final class Arrivals: TransferSink, @unchecked Sendable {
  // Only the thread that moves the clock uses it.
  struct Arrival: Equatable {
    let moment: Double
    let event: TransferEvent
  }

  private let clock: VirtualClock
  var demand = TransferDemand.more
  private(set) var all: [Arrival] = []

  init(_ clock: VirtualClock) { self.clock = clock }

  func take(_ event: TransferEvent, of transfer: TransferID) -> TransferDemand {
    all.append(Arrival(moment: clock.now.seconds, event: event))
    return demand
  }

  var bodies: [(moment: Double, count: Int)] {
    all.compactMap { arrival in
      guard case .body(let bytes) = arrival.event else { return nil }
      return (arrival.moment, bytes.count)
    }
  }

  var bytes: [UInt8] {
    all.flatMap { arrival -> [UInt8] in
      guard case .body(let bytes) = arrival.event else { return [] }
      return bytes
    }
  }

  var head: ResponseHead? {
    for case .head(let head) in all.map(\.event) { return head }
    return nil
  }

  var failure: TransferFailure? {
    guard case .failure(let failure)? = all.last?.event else { return nil }
    return failure
  }

  var hasEnded: Bool { all.last?.event == .end }
}
