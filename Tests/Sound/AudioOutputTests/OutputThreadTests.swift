import AudioCore
import AudioOutput
import Clocks
import Foundation
import TestSupport
import Testing

/// Outputs on real threads: what virtual time cannot show.
///
/// Not for `--sanitize=thread`: Swift 6.3's `Mutex` hands over a contended lock in the kernel, where TSan does not
/// look, so it calls every access under such a lock a race. With pthread mutexes in their place it has no complaint.
@Suite(.timeLimit(.minutes(10)))
struct OutputThreadTests {
  /// Gives frames in small pieces from a thread of its own, as fast as it can, and waits for the last to be heard.
  private func feed(_ device: any AudioOutputDevice, frames: Int64) async throws {
    let source = NumberedSource(available: 0, isAtEnd: false)
    let events = AsyncStream<OutputEvent>.makeStream()
    let stream = device.makeStream(format: OutputProbe.format, source: source) {
      events.continuation.yield($0)
    }
    stream.start()
    let feeder = Thread {
      var left = frames
      while left > 0 {
        let piece = min(left, 37)
        left -= piece
        source.give(piece, isAtEnd: left == 0)
        stream.dataAvailable()
        _ = stream.timing()
      }
    }
    feeder.start()
    var iterator = events.stream.makeAsyncIterator()
    #expect({ if case .opened = $0 { true } else { false } }(await iterator.next()))
    // A lost wake-up leaves the last frames unheard, and the time limit ends the test.
    while stream.timing().heardFrame < Double(frames) { _ = await iterator.next() }
    #expect(source.now.wrongNumbers == 0)
    stream.close()
  }

  @Test(arguments: ["ideal", "tiny blocks", "prebuffering", "eager", "early underrun notice"])
  func noWakeUpIsLostBySimulatedDevices(_ name: String) async throws {
    let personality = try #require(SimulatedOutput.personalities.first { $0.name == name }).personality
    let device = SimulatedOutput(clock: SystemClock.shared, personality: personality)
    for _ in 0..<3 { try await feed(device, frames: 8820) }
    let samples = device.recording.samples
    let once = NumberedSource.samples(0..<8820)
    #expect(areIdentical(samples, once + once + once))
  }

  @Test func noWakeUpIsLostByTheFile() async throws {
    let path = FileManager.default.temporaryDirectory.path + "/continuo-\(UUID()).wav"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try await feed(WAVOutput(path: path, clock: SystemClock.shared), frames: 200_000)
    #expect(areIdentical(try WAVReader(path: path).samples, NumberedSource.samples(0..<200_000)))
  }

  @Test func closingWhileItPlaysEndsEverything() async throws {
    for personality in SimulatedOutput.personalities.map(\.personality) {
      let device = SimulatedOutput(clock: SystemClock.shared, personality: personality)
      let source = NumberedSource(available: 44_100)
      let diary = Diary()
      let stream = device.makeStream(format: OutputProbe.format, source: source) {
        diary.add((SystemClock.shared.now, $0))
      }
      stream.start()
      stream.setVolume(0.5, muted: false)
      stream.flush { _ in }
      stream.close()
      let events = diary.all.count
      let calls = source.now.calls
      stream.dataAvailable()
      stream.start()
      #expect(diary.all.count == events)
      #expect(source.now.calls == calls)
    }
  }
}
