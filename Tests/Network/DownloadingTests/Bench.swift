import Clocks
import ContinuoTesting
import Downloading
import Synchronization
import TestSupport
import Transfer

/// A folder, a network and a clock, on which downloads begin and are killed.
final class Bench {
  static let address = "http://files.test/a.bin"

  let clock = VirtualClock()
  let network: SimulatedNetwork
  let folder: TemporaryFolder
  let place: DownloadPlace
  private(set) var download: FileDownload?
  private let log = Log()

  /// What was told; emptied by a new download.
  private final class Log: Sendable {
    let events = Mutex<[DownloadEvent]>([])
  }

  init() throws {
    network = SimulatedNetwork(clock: clock)
    folder = try TemporaryFolder()
    place = DownloadPlace(folder.path + "/a.bin")
  }

  /// Begins, or goes on after a kill.
  func begin(_ address: String = Bench.address, policy: DownloadPolicy = DownloadPolicy()) throws {
    log.events.withLock { $0 = [] }
    download = FileDownload(
      try WebURL.read(address).url, to: place, settings: RequestSettings(userAgent: "Continuo/1"),
      policy: policy,
      transport: network, clock: clock, seed: 1
    ) { [log] event in log.events.withLock { $0.append(event) } }
    clock.runUntilIdle()
  }

  func advance(_ seconds: Double) { clock.advance(bySeconds: seconds) }

  func stop() {
    download?.stop()
    clock.runUntilIdle()
  }

  func end() { download?.end() }

  /// As SIGKILL does: nothing more is written.
  func kill() { download = nil }

  /// As a power cut does: of what was not synchronized, nobody knows what is there.
  func cutPower(_ random: inout RandomSource) {
    kill()
    guard let length = recorded, let part = try? folder.read("a.bin.part"), part.count > Int(length) else {
      return
    }
    let rest = part.count - Int(length)
    let other = random.below(2) == 0 ? random.bytes(rest) : [UInt8](repeating: 0, count: rest)
    _ = try? folder.write("a.bin.part", Array(part[..<Int(length)]) + other.prefix(random.below(rest + 1)))
  }

  var recorded: Int64? {
    (try? folder.read("a.bin.part.record")).flatMap(DownloadRecord.init(bytes:))?.length
  }
  var result: [UInt8]? { try? folder.read("a.bin") }
  /// The names in the folder.
  var names: [String] { folder.names }

  /// Events in short, without progress.
  var events: [String] {
    log.events.withLock { $0.map(\.self) }.compactMap { event in
      switch event {
      case .response(let head, _): "\(head.status)"
      case .resumed(let offset): "resumed \(offset)"
      case .requested, .progress: nil
      case .retry: "retry"
      case .changed: "changed"
      case .finished(let count): "finished \(count)"
      case .failed(let failure, _): "failed: \(failure)"
      case .stopped(let record): "stopped \(record.length)"
      }
    }
  }

  /// The number of stored bytes after which each request asked.
  var requests: [Int64] {
    log.events.withLock { $0.map(\.self) }
      .compactMap { event in if case .requested(let count) = event { count } else { nil } }
  }

  var progress: [Int64] {
    log.events.withLock { $0.map(\.self) }
      .compactMap { event in if case .progress(let count, _) = event { count } else { nil } }
  }
}
