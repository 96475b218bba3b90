import Clocks
import Testing

@testable import Transfer

/// How far is read ahead, to the byte. What would be stored is only counted.
@Suite("Limits of a transfer") struct LimitTests {
  /// Bytes that are there and equal, whatever they are.
  private struct Counted: StoredBytes {
    var intervals = IntervalSet()
    func holds(_ bytes: ArraySlice<UInt8>, at offset: Int64) -> Bool { true }
  }

  /// A machine whose server has a file of 1 TiB.
  private struct World {
    private var machine: TransferMachine
    private var store = Counted()
    private let attempt = 1
    private let now = HostTime(nanoseconds: 0)
    private static let piece = [UInt8](repeating: 0, count: 65_536)

    init() throws {
      machine = TransferMachine(
        url: try WebURL.read("http://h/a.mp3").url, settings: RequestSettings(userAgent: "Continuo/1"),
        times: TransferTimes(), seed: 1, now: now)
      var head = ResponseHead(
        status: 206, fields: [("Content-Range", "bytes 0-\((1 << 40) - 1)/\(1 << 40)")])
      head.fields.add("ETag", "\"1\"")
      _ = tell(.time)
      _ = tell(.event(.connected(nil), attempt: attempt))
      _ = tell(.event(.head(head), attempt: attempt))
    }

    /// Whether the transfer was paused, or went on; nil: neither.
    mutating func tell(_ input: TransferInput) -> Bool? {
      var isPaused: Bool?
      for command in machine.handle(input, at: now, store: store) {
        switch command {
        case .setPaused(let value, _): isPaused = value
        case .store(let bytes, let offset): store.intervals.insert(offset..<offset + Int64(bytes.count))
        default: break
        }
      }
      return isPaused
    }

    /// Lets bytes come until so many are there; whether that paused the transfer.
    mutating func receive(upTo end: Int64) -> Bool? {
      var isPaused: Bool?
      while isPaused == nil, case let count = end - store.intervals.end(from: 0), count > 0 {
        let piece = Self.piece.prefix(Int(min(count, Int64(Self.piece.count))))
        isPaused = tell(.event(.body(Array(piece)), attempt: attempt))
      }
      return isPaused
    }
  }

  @Test("a request that waits in the transport has no time limit, and once it is sent the usual one")
  func queued() throws {
    var machine = TransferMachine(
      url: try WebURL.read("http://h/a.mp3").url, settings: RequestSettings(userAgent: "Continuo/1"), seed: 1,
      now: HostTime(nanoseconds: 0))
    func cancels(_ input: TransferInput, at seconds: Double) -> Bool {
      let now = HostTime(nanoseconds: 0).advanced(bySeconds: seconds)
      return machine.handle(input, at: now, store: Counted()).contains(.cancel(attempt: 1))
    }
    #expect(!cancels(.time, at: 0) && !cancels(.event(.queued(true), attempt: 1), at: 1))
    #expect(machine.wake == nil && !cancels(.time, at: 1_000))
    #expect(!cancels(.event(.queued(false), attempt: 1), at: 1_000))
    #expect(machine.wake?.seconds == 1_010 && !cancels(.time, at: 1_009.9))
    #expect(cancels(.time, at: 1_010) && machine.outcome == nil)
  }

  @Test("64 MiB are read ahead, and not a byte less; with 48 MiB left it goes on, and not with a byte more")
  func readAhead() throws {
    let (most, least) = (Int64(64 << 20), Int64(48 << 20))
    var world = try World()
    #expect(world.receive(upTo: most - 1) == nil)
    #expect(world.receive(upTo: most) == true)
    #expect(world.tell(.read(from: most - least - 1)) == nil)
    #expect(world.tell(.read(from: most - least)) == false)
    // From there on the same again.
    #expect(world.receive(upTo: 2 * most - least - 1) == nil)
    #expect(world.receive(upTo: 2 * most - least) == true)
  }
}
