import AudioCore
import Clocks
import CurlTransport
import Foundation
import MP3Decoding
import NetworkTestSupport
import SoundFileDecoding
import Synchronization
import TestSupport
import Testing
import Transfer

@testable import RemoteMedia

/// Reads a decoder to its end, and waits for the network as a player does: until it is called.
final class Listener: Sendable {
  private let signal = NSCondition()
  private let calls = Mutex(0)

  func wake() {
    calls.withLock { $0 += 1 }
    signal.lock()
    signal.broadcast()
    signal.unlock()
  }

  /// Waits for a call after the `seen`-th; returns how many there were. Throws after a minute.
  func wait(after seen: Int) throws -> Int {
    let limit = Date(timeIntervalSinceNow: 120)
    signal.lock()
    defer { signal.unlock() }
    while calls.withLock({ $0 }) <= seen {
      guard signal.wait(until: limit) else { throw POSIXError(.ETIMEDOUT) }
    }
    return calls.withLock { $0 }
  }

  var count: Int { calls.withLock { $0 } }

  func open(_ source: some MediaSource) throws -> any AudioDecoder {
    let opening = source.open { [self] in wake() }
    while true {
      let seen = count
      if let decoder = try opening.proceed() { return decoder }
      _ = try wait(after: seen)
    }
  }

  func samples(of decoder: any AudioDecoder) throws -> [Float] {
    var samples: [Float] = []
    try read(decoder, into: &samples)
    return samples
  }

  /// Reads to the end; what came before an error is in `samples`.
  func read(_ decoder: any AudioDecoder, into samples: inout [Float]) throws {
    var buffer = [Float](repeating: 0, count: 4_096 * decoder.format.channelCount)
    while true {
      let seen = count
      switch try buffer.withUnsafeMutableBufferPointer({ try decoder.read(into: $0) }) {
      case .frames(let count): samples += buffer[..<(count * decoder.format.channelCount)]
      case .end: return
      case .waiting: _ = try wait(after: seen)
      }
    }
  }
}

@Suite("Media from the network, decoded", .blocksThread)
struct PlayingTests {
  private func medium(
    _ server: HostileServer, _ path: String = "/song.mp3", cache: MediaCache = MediaCache(),
    notes: @escaping @Sendable (TransferNote) -> Void = { _ in }
  ) throws -> RemoteMedium {
    let environment = RemoteEnvironment(
      transport: CurlHTTPTransport(), clock: SystemClock.shared, cache: cache)
    return RemoteMedium(
      url: try WebURL.read(server.url(path)).url,
      settings: RequestSettings(userAgent: "Continuo/test"),
      environment: environment, onNote: notes)
  }

  /// A song of the repository, and what it decodes to as a file.
  private func song(_ name: String) throws -> (bytes: [UInt8], samples: [Float]) {
    let url = Repository.fixtures.appendingPathComponent(name)
    let listener = Listener()
    let decoder = try listener.open(AudioFile(path: url.path))
    return ([UInt8](try Data(contentsOf: url)), try listener.samples(of: decoder))
  }

  private func play(_ medium: RemoteMedium) throws -> [Float] {
    let listener = Listener()
    return try listener.samples(of: try listener.open(medium))
  }

  private static let names = [
    "cbr-44100-stereo.mp3", "vbr-44100-stereo.mp3", "mpeg2-24000-vbr.mp3", "mpeg25-8000-mono.mp3",
    "id3v24-cover.mp3", "layer2-48000-stereo.mp2", "noinfo-vbr.mp3",
  ]

  @Test("cut again and again: the samples of the file, bit for bit", arguments: names)
  func cuts(_ name: String) throws {
    let song = try song(name)
    for ending in [HostileServer.Step.close, .reset] {
      var file = HostileFile(song.bytes)
      file.cut = song.bytes.count / 3
      file.ending = ending
      let server = try HostileServer { [file] in file.answer($0) }
      let isSame = try play(try medium(server)) == song.samples
      #expect(isSame)
      #expect(server.requests.count > 2)
      #expect(server.requests.dropFirst().allSatisfy { $0.fields["if-range"] == "\"1\"" })
    }
  }

  /// A long song: the frames of a short one without Info frame, again and again.
  private func longSong() throws -> (bytes: [UInt8], samples: [Float]) {
    let bytes = [UInt8](try Data(contentsOf: Repository.fixtures.appendingPathComponent("noinfo-cbr.mp3")))
    let long = (0..<(900_000 / bytes.count + 1)).flatMap { _ in bytes }
    let folder = try TemporaryFolder()
    let path = folder.path + "/long.mp3"
    try Data(long).write(to: URL(fileURLWithPath: path))
    let listener = Listener()
    let decoder = try listener.open(AudioFile(path: path))
    return (long, try listener.samples(of: decoder))
  }

  @Test("cut every 64 KiB: one request for each piece, each in the right place, and the file's samples")
  func everyPiece() throws {
    let song = try longSong()
    var file = HostileFile(song.bytes)
    file.cut = 65_536
    let server = try HostileServer { [file] in file.answer($0) }
    let isSame = try play(try medium(server)) == song.samples
    #expect(isSame)
    let expected = stride(from: 0, to: song.bytes.count, by: 61_440).map { "bytes=\($0)-" }
    #expect(server.requests.map { $0.fields["range"] } == expected.prefix(server.requests.count).map { $0 })
    #expect(server.requests.count >= expected.count - 1)
  }

  enum Trouble: String, CaseIterable {
    case untold, chunked, compressed, tooLong, rangesElsewhere, partsRefused, noRanges, noTag, tagChanges
  }

  @Test("whatever else the server does wrong: the file's samples", arguments: Trouble.allCases)
  func troubles(_ trouble: Trouble) throws {
    let song = try longSong()
    var file = HostileFile(song.bytes)
    file.cut = 400_000
    switch trouble {
    case .untold:
      file.length = .untold
      file.cut = nil
    case .chunked: file.length = .chunked
    case .compressed: file.isCompressed = true
    case .tooLong: file.lengthError = 5_000
    case .rangesElsewhere: file.rangeError = 1_000
    case .partsRefused: file.refusesParts = true
    case .noRanges: file.hasRanges = false
    case .noTag: file.tag = nil
    case .tagChanges: break
    }
    let server = try HostileServer { [file] request in
      var file = file
      if request.number > 2 { file.cut = nil }
      if trouble == .tagChanges { file.tag = "\"\(request.number)\"" }
      return file.answer(request)
    }
    let isSame = try play(try medium(server)) == song.samples
    #expect(isSame)
    #expect(
      server.bytesSent <= song.bytes.count * 22 / 10, "\(server.requests.map { $0.fields["range"] ?? "-" })")
  }

  @Test(
    "announced 5,000 bytes too short or too long, without ranges: the Info frame tells better",
    arguments: [-5_000, 5_000])
  func wrongLength(_ error: Int) throws {
    let song = try song("cbr-44100-stereo.mp3")
    let server = try HostileServer { request in
      var file = HostileFile(song.bytes)
      // Asked for more, the server has it.
      file.hasRanges = request.number > 1
      if request.number == 1 { file.lengthError = error }
      return file.answer(request)
    }
    let isSame = try play(try medium(server)) == song.samples
    #expect(isSame)
    // Too long: the end may come before the frame was looked at, and is then asked for once more.
    #expect(server.requests.count <= 2)
  }

  @Test("without a disk the same", arguments: [true, false])
  func withoutDisk(_ hasRanges: Bool) throws {
    let song = try longSong()
    var file = HostileFile(song.bytes)
    file.hasRanges = hasRanges
    file.cut = 300_000
    let server = try HostileServer { [file] request in
      var file = file
      if request.number > 2 { file.cut = nil }
      return file.answer(request)
    }
    let isSame = try play(try medium(server, cache: MediaCache(folders: []))) == song.samples
    #expect(isSame)
  }

  @Test(
    "what is no song from the second request on: the first one's sound up to there, then an error that says so"
  )
  func another() throws {
    let song = try longSong()
    let other = Array(song.bytes.reversed())
    let notes = Mutex<[TransferNote]>([])
    for tag in ["\"1\"", "\"2\""] {
      let server = try HostileServer { request in
        var file = HostileFile(request.number == 1 ? song.bytes : other)
        if request.number > 1 { file.tag = tag }
        file.cut = 200_000
        return file.answer(request)
      }
      notes.withLock { $0 = [] }
      let medium = try medium(server) { note in notes.withLock { $0.append(note) } }
      let listener = Listener()
      let decoder = try listener.open(medium)
      var samples: [Float] = []
      let error = #expect(throws: DecodingError.self) { try listener.read(decoder, into: &samples) }
      #expect(error?.reason == .network(code: -1005) && error?.message.contains("another version") == true)
      #expect(samples.count > 100_000 && song.samples.starts(with: samples.dropLast(20_000)))
      #expect(notes.withLock { $0.contains(.changed) })
    }
  }

  @Test("a medium that a playlist names and that changes is read on in its new version")
  func changedBehindPlaylist() throws {
    let song = try longSong()
    let server = try HostileServer { request in
      if request.target == "/list.m3u" {
        let lines = ["Content-Type: audio/x-mpegurl", "Content-Length: 9"]
        return [.send(HostileFile.head("200 OK", lines) + Array("song.mp3\n".utf8))]
      }
      guard request.number > 2 else {
        var file = HostileFile(song.bytes)
        file.cut = 200_000
        return file.answer(request)
      }
      var other = HostileFile(song.bytes + [UInt8](repeating: 0, count: 128))
      other.tag = "\"2\""
      return other.answer(request)
    }
    let notes = Mutex<[TransferNote]>([])
    let medium = try medium(server, "/list.m3u") { note in notes.withLock { $0.append(note) } }
    let samples = try play(medium)
    #expect(notes.withLock { $0.contains(.changed) && $0.contains(.entered) })
    #expect(samples.count == song.samples.count)
  }

  @Test("without a disk, a feed that is longer than the memory for it is an error")
  func longFeed() throws {
    let feed = Array("<?xml version=\"1.0\"?><rss><channel>".utf8) + [UInt8](repeating: 32, count: 5 << 20)
    let server = try HostileServer { _ in
      let lines = ["Content-Type: application/rss+xml", "Content-Length: \(feed.count)"]
      return [.send(HostileFile.head("200 OK", lines) + feed)]
    }
    let medium = try medium(server, "/feed", cache: MediaCache(folders: []))
    let error = #expect(throws: DecodingError.self) { try play(medium) }
    #expect(error?.message.contains("too long") == true)
  }

  @Test("with and without a disk, the last progress reported is the whole file", arguments: [true, false])
  func progress(onDisk: Bool) throws {
    let song = try song("cbr-44100-stereo.mp3")
    let server = try HostileServer { HostileFile(song.bytes).answer($0) }
    let notes = Mutex<[TransferNote]>([])
    let cache = onDisk ? MediaCache() : MediaCache(folders: [])
    let medium = try medium(server, cache: cache) { note in notes.withLock { $0.append(note) } }
    let isSame = try play(medium) == song.samples
    #expect(isSame)
    let stored = notes.withLock { $0 }
      .compactMap { note in if case .progress(let progress) = note { progress.stored } else { nil } }
    #expect(stored.last == Int64(song.bytes.count))
    #expect(notes.withLock { $0.last } == .complete(total: Int64(song.bytes.count)))
  }

  @Test("a seek far ahead makes one request there; one back into what is there makes none")
  func seeking() throws {
    let song = try longSong()
    let file = HostileFile(song.bytes)
    let server = try HostileServer { request in
      // What runs on from the beginning is slow, so that the place is not there yet.
      var steps = file.answer(request)
      if request.first == 0 {
        steps = [steps[0], .sendSlowly(Array(song.bytes.prefix(40_000)), piece: 8_192, pause: 0.01), .hang]
      }
      return steps
    }
    let listener = Listener()
    let medium = try medium(server)
    let decoder = try listener.open(medium)
    let target = Int64(song.samples.count / decoder.format.channelCount) / 2
    // Without Info frame the place in the file is found by reading up to it.
    func seek(_ frame: Int64) throws -> Int64 {
      while true {
        let seen = listener.count
        if let reached = try decoder.seek(toFrame: frame) { return reached }
        _ = try listener.wait(after: seen)
      }
    }
    let reached = try seek(1_000)
    let requests = server.requests.count
    let after = try seek(0)
    #expect(reached == 1_000 && after == 0 && server.requests.count == requests && target > 0)
  }

  @Test("what is refused is an error with its reason, without path and query")
  func refusals() throws {
    for (status, text, code) in [("404 Not Found", "404", -1100), ("403 Forbidden", "403", -1102)] {
      let server = try HostileServer { _ in HostileFile.plain(status) }
      let medium = try medium(server)
      do {
        _ = try play(medium)
        Issue.record("it played")
      } catch let error as DecodingError {
        #expect(
          error == DecodingError(reason: .network(code: code), message: "127.0.0.1 answered \(text)"))
      }
    }
  }

  @Test("a paused reader stops the server, and memory does not grow; nothing is left when the medium goes")
  func backpressure() throws {
    let server = try HostileServer { _ in
      [
        .send(HostileFile.head("200 OK", ["Content-Type: audio/mpeg"])),
        .sendForEver([UInt8](repeating: 0, count: 65_536)),
      ]
    }
    let cache = MediaCache(folders: [])
    var medium: RemoteMedium? = try medium(server, cache: cache)
    var source: RemoteByteSource? = medium.map { RemoteByteSource($0.fetch) }
    let listener = Listener()
    source?.whenBytesCome { listener.wake() }
    var sent = -1
    while sent != server.bytesSent || sent < 1 << 20 {
      sent = server.bytesSent
      Thread.sleep(forTimeInterval: 0.3)
    }
    #expect(sent < 24 << 20)
    #expect(medium?.fetch.store.intervals.count ?? 0 <= 6 << 20)
    source = nil
    medium = nil
    #expect(listener.count == 0)
  }
}
