import AudioCore
import Clocks
import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing
import Transfer

@testable import RemoteMedia

@Suite("URLs opened while others end", .blocksThread)
struct TurnoverTests {
  /// The number of URLs.
  private static let count = Rounds.count(1_000)

  @Test("Two threads make and drop stores of one cache, which counts none of their bytes afterwards")
  func stores() {
    let cache = MediaCache(folders: [], limit: 1 << 20)
    let folder = try? TemporaryFolder()
    let onDisk = MediaCache(folders: [folder?.path ?? ""], limit: 1 << 20)
    DispatchQueue.concurrentPerform(iterations: 2) { _ in
      for index in 0..<Self.count * 10 {
        let store = MediaStore(cache: index % 8 == 0 ? onDisk : cache)
        store.put([1, 2, 3], at: 0)
        store.isFinished = index % 2 == 0
      }
    }
    #expect(cache.byteCount == 0 && cache.storeCount == 0)
    #expect(onDisk.byteCount == 0 && onDisk.storeCount == 0)
  }

  @Test("Two threads open and end URLs, each on a thread of its own, with one cache")
  func media() throws {
    let cache = MediaCache(folders: [])
    let network = SilentNetwork()
    let environment = RemoteEnvironment(transport: network, clock: SystemClock.shared, cache: cache)
    let url = try WebURL.read("http://test/song.mp3").url
    DispatchQueue.concurrentPerform(iterations: 2) { _ in
      for _ in 0..<Self.count / 2 {
        let medium = RemoteMedium(
          url: url, settings: RequestSettings(userAgent: "test"), environment: environment)
        #expect(medium.fetch.outcome == nil)
      }
    }
    // The thread of a fetch may be the last to have it, in the step in which the medium is dropped.
    let start = SystemClock.shared.now
    while cache.storeCount > 0 || network.running > 0, SystemClock.shared.now.seconds(since: start) < 60 {
      usleep(1000)
    }
    #expect(cache.byteCount == 0 && cache.storeCount == 0)
    #expect(network.running == 0)
  }

  @Test("Threads that ask for the bytes of a medium at the same time get the same, which are fetched once")
  func together() throws {
    let network = SilentNetwork()
    let environment = RemoteEnvironment(
      transport: network, clock: SystemClock.shared, cache: MediaCache(folders: []))
    for round in 0..<100 {
      let medium = RemoteMedium(
        url: try WebURL.read("http://test/\(round).mp3").url, settings: RequestSettings(userAgent: "test"),
        environment: environment)
      let fetches = Mutex<[RemoteFetch]>([])
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        let fetch = medium.fetch
        fetches.withLock { $0.append(fetch) }
      }
      let all = fetches.withLock { $0 }
      #expect(all.count == 4 && all.allSatisfy { $0 === all[0] })
    }
    #expect(network.begun <= 100)
  }
}

@Suite("The lock of a medium while its fetches begin and end", .blocksThread)
struct MediumLockTests {
  private let clock = WatchedClock()
  private let network: VirtualNetwork

  init() { network = VirtualNetwork(clock: clock.base) }

  private func medium(_ path: String) throws -> RemoteMedium {
    let medium = RemoteMedium(
      url: try WebURL.read("http://test" + path).url, settings: RequestSettings(userAgent: "test"),
      environment: RemoteEnvironment(transport: network, clock: clock, cache: MediaCache(folders: [])))
    clock.medium.withLock { $0 = medium }
    return medium
  }

  private func finish() { clock.medium.withLock { $0 = nil } }

  @Test("It is free while a fetch begins, and while one that has failed ends")
  func fetches() throws {
    let medium = try medium("/none.mp3")
    defer { finish() }
    weak let first = medium.fetch
    clock.base.advance(bySeconds: 5)
    #expect(first?.outcome != nil)
    _ = medium.fetch
    #expect(first == nil)
    #expect(clock.begun.withLock { $0 } == [true, true])
    #expect(clock.ended.withLock { $0 } == [true])
  }

  @Test("It is free while the fetch of what a playlist names takes the place of the playlist's")
  func playlists() throws {
    network["/list.m3u"] = VirtualNetwork.Served(bytes: Array("http://test/song.mp3\n".utf8))
    network["/song.mp3"] = VirtualNetwork.Served(bytes: try Songs.fixture("cbr-44100-mono.mp3"))
    let medium = try medium("/list.m3u")
    defer { finish() }
    let opening = medium.open {}
    var decoder: (any AudioDecoder)?
    for _ in 0..<200 where decoder == nil {
      clock.base.advance(bySeconds: 0.1)
      decoder = try opening.proceed()
    }
    #expect(decoder != nil)
    #expect(clock.begun.withLock { $0 } == [true, true])
  }
}

/// A transport that never answers.
private final class SilentNetwork: HTTPTransport {
  private let state = Mutex((last: UInt64(0), sinks: [TransferID: any TransferSink]()))

  var running: Int { state.withLock { $0.sinks.count } }
  var begun: UInt64 { state.withLock { $0.last } }

  func start(_ request: TransferRequest, sink: any TransferSink) -> TransferID {
    state.withLock { state in
      state.last += 1
      state.sinks[TransferID(state.last)] = sink
      return TransferID(state.last)
    }
  }

  func setPaused(_ isPaused: Bool, _ transfer: TransferID) {}

  func cancel(_ transfer: TransferID) {
    let sink = state.withLock { $0.sinks.removeValue(forKey: transfer) }
    withExtendedLifetime(sink) {}
  }
}

/// Virtual time that finds out, whenever the worker of a fetch begins or ends, whether another thread gets the lock of the
/// medium.
private final class WatchedClock: HostClock {
  let base = VirtualClock(runLimit: 100_000)
  let medium = Mutex<RemoteMedium?>(nil)
  let begun = Mutex<[Bool]>([])
  let ended = Mutex<[Bool]>([])

  var now: HostTime { base.now }

  func makeWorker(_ name: String, body: @escaping @Sendable () -> WorkerNext) -> any Worker {
    let isFree = isFree()
    begun.withLock { $0.append(isFree) }
    return WatchedWorker(self, base.makeWorker(name, body: body))
  }

  /// Whether the medium's lock can be had. Gives up after 10 s, which is how long a failure takes.
  fileprivate func isFree() -> Bool {
    guard let medium = medium.withLock({ $0 }) else { return true }
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      _ = try? medium.readTag()
      done.signal()
    }
    return done.wait(timeout: .now() + 120) == .success
  }
}

private final class WatchedWorker: Worker {
  private let clock: WatchedClock
  private let base: any Worker

  init(_ clock: WatchedClock, _ base: any Worker) {
    self.clock = clock
    self.base = base
  }

  func signal() { base.signal() }

  func cancel() {
    let isFree = clock.isFree()
    clock.ended.withLock { $0.append(isFree) }
    base.cancel()
  }
}
