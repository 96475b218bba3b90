import AudioOutput
import Clocks
import Continuo
import Foundation
import MediaTime
import NetworkTestSupport
import Synchronization
import TestSupport
import Testing
import Transfer

@testable import QueuePlayer

/// Players of URLs, with a server on loopback and the process's main queue. Sound goes to the simulated output.
@Suite("The network", .blocksThread, .timeLimit(.minutes(10)))
@MainActor
struct RemoteTests {
  /// 2.5 s.
  private nonisolated static let song: [UInt8] = {
    let bytes = (try? Data(contentsOf: Repository.media("02 Hundredths.mp3"))) ?? Data()
    return Array(bytes)
  }()

  /// How many transports were made.
  private let transports = Log<Int>()

  private func environment(_ change: (inout NetworkSettings) -> Void = { _ in }) -> PlaybackEnvironment {
    var network = NetworkSettings()
    let make = network.makeTransport
    network.makeTransport = { [transports] clock in
      transports.add(1)
      return make(clock)
    }
    change(&network)
    let clock = SystemClock.shared
    return PlaybackEnvironment(clock: clock, device: SimulatedOutput(clock: clock), network: network)
  }

  private func asset(_ text: String, _ environment: PlaybackEnvironment) throws -> AVURLAsset {
    AVURLAsset(url: try #require(URL(string: text)), environment: environment)
  }

  @Test("A file of a server plays as the file itself; opened again and sought back it is not fetched again")
  func fetchedOnce() async throws {
    let server = try HostileServer { HostileFile(Self.song).answer($0) }
    defer { server.stop() }
    let environment = environment()
    defer { environment.closePlayers() }
    let local = AVURLAsset(url: Repository.media("02 Hundredths.mp3"), environment: environment)
    let duration = try await local.load(.duration)
    #expect(transports.entries.isEmpty)

    let asset = try asset(server.url("/a.mp3"), environment)
    // These never wait for the network.
    #expect(asset.duration.isIndefinite && !asset.isPlayable && server.requests.isEmpty)
    let item = AVPlayerItem(asset: asset)
    let notes = Log<String>()
    let (completed, continuation) = AsyncStream<Void>.makeStream()
    let observer = NotificationCenter.default.addObserver(
      forName: AVPlayerItem.transferNotification, object: item, queue: nil
    ) { note in
      let isOnMain = environment.isOnMainQueue()
      guard let note = note.userInfo?[AVPlayerItem.transferNoteKey] as? TransferNote else { return }
      // How often progress is told is a matter of time.
      if case .progress = note { return }
      notes.add("\(note)".prefix { $0 != "(" } + (isOnMain ? "" : " elsewhere"))
      if case .complete = note { continuation.yield() }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    let player = AVQueuePlayer(items: [item], environment: environment)
    await wait(item, \.status, .readyToPlay)
    #expect(item.duration == duration)
    player.play()
    await wait(player, \.timeControlStatus, .playing)
    #expect(await item.seek(to: CMTime(value: 3, timescale: 2)))
    #expect(await item.seek(to: .zero))
    // Another item of the same asset, and the asset itself.
    #expect(try await asset.load(.duration) == duration)
    let other = AVPlayerItem(asset: asset)
    player.insert(other, after: item)
    player.advanceToNextItem()
    await wait(other, \.status, .readyToPlay)
    #expect(server.requests.count == 1)
    #expect(transports.entries == [1])
    var iterator = completed.makeAsyncIterator()
    await iterator.next()
    #expect(notes.entries == ["request", "response", "complete"])
  }

  @Test(
    "The metadata of a file of a server are those of the file; asking for them without waiting gives none")
  func metadata() async throws {
    let server = try HostileServer { HostileFile(Self.song).answer($0) }
    defer { server.stop() }
    let environment = environment()
    defer { environment.closePlayers() }
    let local = AVURLAsset(url: Repository.media("02 Hundredths.mp3"), environment: environment)
    let asset = try asset(server.url("/a.mp3"), environment)
    #expect(asset.commonMetadata.isEmpty && server.requests.isEmpty)
    var titles: [String?] = []
    for asset in [local, asset] {
      let items = try await asset.load(.commonMetadata)
      titles.append(items.first { $0.commonKey == .commonKeyTitle }?.stringValue)
    }
    #expect(titles[0] != nil && titles[0] == titles[1])
  }

  @Test("What has left the queue is fetched no more")
  func left() async throws {
    let (lost, continuation) = AsyncStream<Void>.makeStream()
    let head = HostileFile.head("200 OK", ["Content-Length: 5000000"])
    let server = try HostileServer { request in
      guard request.target == "/a.mp3" else { return HostileFile(Self.song).answer(request) }
      return [.send(head), .send(Array(Self.song[..<20_000])), .hang]
    } onClose: {
      continuation.yield()
    }
    defer { server.stop() }
    let environment = environment()
    defer { environment.closePlayers() }
    let item = AVPlayerItem(asset: try asset(server.url("/a.mp3"), environment))
    let player = AVQueuePlayer(items: [item], environment: environment)
    await wait(item, \.status, .readyToPlay)
    player.remove(item)
    var iterator = lost.makeAsyncIterator()
    await iterator.next()
    #expect(item.status == .readyToPlay)
  }

  @Test("What was fetched is told; where the server has no ranges nothing else can be gone to")
  func loadedRanges() async throws {
    let server = try HostileServer { request in
      var file = HostileFile(Self.song)
      file.hasRanges = false
      return [file.answer(request)[0], .send(Array(Self.song[..<60_000])), .hang]
    }
    defer { server.stop() }
    let environment = environment()
    defer { environment.closePlayers() }
    let item = AVPlayerItem(asset: try asset(server.url("/a.mp3"), environment))
    let (ends, continuation) = AsyncStream<CMTime>.makeStream()
    let observation = item.observe(\.loadedTimeRanges) { item, _ in
      for range in item.loadedTimeRanges { continuation.yield(range.timeRangeValue.end) }
    }
    defer { observation.invalidate() }
    let player = AVQueuePlayer(items: [item], environment: environment)
    for await end in ends where end.seconds > 0.3 {
      #expect(end < item.duration)
      break
    }
    #expect(item.seekableTimeRanges == item.loadedTimeRanges && item.seekableTimeRanges.count == 1)
    #expect(await item.seek(to: CMTime(value: 20, timescale: 1)) == false)
    #expect(await player.seek(to: CMTime(value: 20, timescale: 1)) == false)
    #expect(await item.seek(to: CMTime(value: 1, timescale: 10)))
    #expect(server.requests.count == 1)
  }

  @Test("A load that fails leaves nothing behind: no medium, no thread of its fetch")
  func failedLoad() async throws {
    let server = try HostileServer { _ in HostileFile.plain("404 Not Found") }
    defer { server.stop() }
    weak var loader: AnyObject?
    do {
      let asset = try asset(server.url("/none.mp3"), environment())
      loader = asset.loader
      await #expect(throws: AVError.self) { _ = try await asset.load(.duration) }
    }
    // The queue that has read it may still hold it.
    let start = SystemClock.shared.now
    while loader != nil, SystemClock.shared.now.seconds(since: start) < 60 {
      try await Task.sleep(for: .milliseconds(2))
    }
    #expect(loader == nil)
  }

  @Test("Other schemes, and what is no URL of the network, are refused by name")
  func refused() async throws {
    let environment = environment()
    for (text, words) in [
      ("ftp://127.0.0.1/a.mp3", "Only file, http and https URLs can be played, not ftp."),
      ("http:a.mp3", "malformed"),
      ("http://127.0.0.1/\(String(repeating: "a", count: 8_192))", "longer than 8191 bytes"),
    ] {
      let asset = try asset(text, environment)
      do {
        _ = try await asset.load(.duration)
        Issue.record("loaded")
      } catch {
        let error = try #require(error as? AVError)
        #expect(error.code == .operationNotSupportedForAsset)
        #expect(error.failureReason?.contains(words) == true)
      }
    }
    #expect(transports.entries.isEmpty)
  }
}
