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

/// The servers that people run: what is decoded of their media is the sound of the files.
@Suite("Real servers", .blocksThread, .timeLimit(.minutes(10)))
struct RealServerTests {
  private func medium(
    _ url: String, _ options: CurlOptions = CurlOptions(),
    notes: @escaping @Sendable (TransferNote) -> Void = { _ in }
  ) throws -> RemoteMedium {
    let environment = RemoteEnvironment(
      transport: CurlHTTPTransport(options: options), clock: SystemClock.shared, cache: MediaCache())
    return RemoteMedium(
      url: try WebURL.read(url).url, settings: RequestSettings(userAgent: "Continuo/test"),
      environment: environment, onNote: notes)
  }

  private func samples(_ source: some MediaSource) throws -> [Float] {
    let listener = Listener()
    return try listener.samples(of: try listener.open(source))
  }

  private static let names = [
    "cbr-44100-stereo.mp3", "vbr-44100-stereo.mp3", "mpeg2-24000-vbr.mp3", "mpeg25-8000-mono.mp3",
    "id3v24-cover.mp3", "layer2-48000-stereo.mp2", "noinfo-vbr.mp3",
  ]

  @Test("nginx over http and https, directly and through tinyproxy: the samples of the files")
  func files() throws {
    let folder = try TemporaryFolder()
    try OpenSSL.makeCertificates(in: folder.path)
    let ports = try (0..<3).map { _ in try LoopbackSocket.freePort() }
    let server = try RealServer.nginx(folder, root: Repository.fixtures.path, http: ports[0], https: ports[1])
    let proxy = try RealServer.tinyproxy(port: ports[2])
    var options = CurlOptions()
    options.certificateFile = folder.file("ca.pem")
    for isProxied in [false, true] {
      options.proxy = isProxied ? "http://127.0.0.1:\(ports[2])" : nil
      for name in Self.names {
        let expected = try samples(AudioFile(path: Repository.fixtures.appendingPathComponent(name).path))
        for origin in ["http://127.0.0.1:\(ports[0])", "https://127.0.0.1:\(ports[1])"] {
          let isSame = try samples(medium("\(origin)/\(name)", options)) == expected
          #expect(isSame, "\(origin)/\(name), proxied: \(isProxied)")
        }
      }
    }
    let log = try String(contentsOfFile: proxy.folder.file("tinyproxy.log"), encoding: .utf8)
    #expect(log.contains("CONNECT 127.0.0.1:\(ports[1])") && log.contains("/noinfo-vbr.mp3"))
    // Without the authority nothing is played.
    options.certificateFile = nil
    options.proxy = nil
    let medium = try medium("https://127.0.0.1:\(ports[1])/\(Self.names[0])", options)
    #expect(throws: DecodingError.self) { try samples(medium) }
    withExtendedLifetime(server) {}
  }

  @Test(
    "a proxy that wants a name and a password: with them the samples, without them an error that names neither"
  )
  func proxyCredentials() throws {
    let folder = try TemporaryFolder()
    try OpenSSL.makeCertificates(in: folder.path)
    let ports = try (0..<3).map { _ in try LoopbackSocket.freePort() }
    let server = try RealServer.nginx(folder, root: Repository.fixtures.path, http: ports[0], https: ports[1])
    let proxy = try RealServer.tinyproxy(port: ports[2], user: ("anna", "secret"))
    var options = CurlOptions()
    options.certificateFile = folder.file("ca.pem")
    let name = Self.names[0]
    let expected = try samples(AudioFile(path: Repository.fixtures.appendingPathComponent(name).path))
    for origin in ["http://127.0.0.1:\(ports[0])", "https://127.0.0.1:\(ports[1])"] {
      options.proxy = "http://anna:secret@127.0.0.1:\(ports[2])"
      let isSame = try samples(medium("\(origin)/\(name)", options)) == expected
      #expect(isSame, "\(origin)")
      // tinyproxy says 401 to whom it does not know; where that is no tunnel, it could be the server's.
      let isTunnel = origin.hasPrefix("https")
      for (wrong, answer) in [
        ("", "the proxy answered 407"),
        ("anna:secrets@", "\(isTunnel ? "the proxy" : "127.0.0.1") answered 401"),
      ] {
        options.proxy = "http://\(wrong)127.0.0.1:\(ports[2])"
        let error = #expect(throws: DecodingError.self) { try samples(medium("\(origin)/\(name)", options)) }
        #expect(error?.message == answer)
      }
    }
    withExtendedLifetime((server, proxy)) {}
  }

  @Test("nginx that is killed in the middle and comes back: the samples of the file")
  func restart() throws {
    let folder = try TemporaryFolder()
    try OpenSSL.makeCertificates(in: folder.path)
    let root = try TemporaryFolder()
    let bytes = try Data(contentsOf: Repository.fixtures.appendingPathComponent("noinfo-cbr.mp3"))
    let path = try root.write("long.mp3", (0..<30).flatMap { _ in bytes })
    let expected = try samples(AudioFile(path: path))
    let ports = try (0..<2).map { _ in try LoopbackSocket.freePort() }
    let start = { try RealServer.nginx(folder, root: root.path, http: ports[0], https: ports[1]) }
    var server = try start()
    let listener = Listener()
    let medium = try medium("http://127.0.0.1:\(ports[0])/long.mp3")
    let decoder = try listener.open(medium)
    server.stop()
    server = try start()
    let isSame = try listener.samples(of: decoder) == expected
    #expect(isSame)
    withExtendedLifetime(server) {}
  }

  @Test("icecast2 with a source client: the sound that was sent, bit for bit, and the titles")
  func station() throws {
    let port = try LoopbackSocket.freePort()
    let file = Repository.fixtures.appendingPathComponent("noinfo-cbr.mp3")
    let bytes = try Data(contentsOf: file)
    let icecast = try RealServer.icecast(port: port)
    let pipe = Pipe()
    let ezstream = try RealServer.ezstream(to: port, input: pipe.fileHandleForReading)
    // Ends when the client has gone, with which its end of the pipe goes.
    signal(SIGPIPE, SIG_IGN)
    let feeder = Thread {
      while (try? pipe.fileHandleForWriting.write(contentsOf: bytes)) != nil {}
    }
    feeder.start()
    let notes = Mutex<[TransferNote]>([])
    let medium = try openStation(port, of: icecast) { note in notes.withLock { $0.append(note) } }
    try setTitle("Artist%20-%20First", port)
    let heard = try listen(medium, frames: 150_000) {
      notes.withLock { $0 }.contains { Self.title(of: $0) == "Artist - First" }
    }
    let station = try #require(notes.withLock { $0 }.compactMap(Self.station).first)
    #expect(station.name == "Test radio" && station.interval == 16_000)
    // Behind its first frames, for which a decoder that joins lacks what was before, it is the file again and again.
    let folder = try TemporaryFolder()
    let path = try folder.write("twice.mp3", (0..<3).flatMap { _ in bytes })
    let reference = try samples(AudioFile(path: path))
    let sound = heard[40_000..<140_000]
    let isSent = try #require(place(of: sound.prefix(4_000), in: reference[(reference.count / 3)...]))
    let period = reference.count / 3
    let isSame = sound.enumerated().allSatisfy { offset, sample in
      sample == reference[period + (isSent - period + offset) % period]
    }
    #expect(isSame)
    withExtendedLifetime((icecast, ezstream)) {}
  }

  private static func title(of note: TransferNote) -> String? {
    if case .metadata(let metadata, _) = note { metadata.title } else { nil }
  }

  private static func station(of note: TransferNote) -> ICYStation? {
    if case .live(let station) = note { station } else { nil }
  }

  /// Opens the station, which answers 404 until the source client is there.
  private func openStation(
    _ port: Int, of server: RealServer, notes: @escaping @Sendable (TransferNote) -> Void
  ) throws -> RemoteMedium {
    let end = Date(timeIntervalSinceNow: 120)
    while true {
      let medium = try medium("http://127.0.0.1:\(port)/radio", notes: notes)
      do {
        _ = try Listener().open(medium)
        return medium
      } catch {
        guard Date() < end else {
          throw RealServer.Failure(description: "\(error); icecast2 \(server.condition)")
        }
        Thread.sleep(forTimeInterval: 0.05)
      }
    }
  }

  /// At least so many samples of a station, and until `hasEnough`.
  private func listen(_ medium: RemoteMedium, frames: Int, hasEnough: () -> Bool) throws -> [Float] {
    let listener = Listener()
    let decoder = try listener.open(medium)
    var samples: [Float] = []
    var buffer = [Float](repeating: 0, count: 4_096 * decoder.format.channelCount)
    while samples.count < frames || !hasEnough() {
      let seen = listener.count
      switch try buffer.withUnsafeMutableBufferPointer({ try decoder.read(into: $0) }) {
      case .frames(let count): samples += buffer[..<(count * decoder.format.channelCount)]
      case .end: return samples
      case .waiting: _ = try listener.wait(after: seen)
      }
    }
    return samples
  }

  private func place(of sound: ArraySlice<Float>, in reference: ArraySlice<Float>) -> Int? {
    reference.indices.first { index in
      index + sound.count <= reference.endIndex && reference[index] == sound.first
        && reference[index..<index + sound.count].elementsEqual(sound)
    }
  }

  private func setTitle(_ title: String, _ port: Int) throws {
    let transport = CurlHTTPTransport()
    let url = "http://127.0.0.1:\(port)/admin/metadata?mount=/radio&mode=updinfo&song=\(title)"
    var request = TransferRequest(url: try WebURL.read(url).url)
    request.credentials = Credentials(user: "admin", password: "admin")
    let sink = Answered()
    _ = transport.start(request, sink: sink)
    #expect(sink.status() == 200)
  }
}

/// Waits for the status of an answer.
private final class Answered: TransferSink {
  private let end = DispatchSemaphore(value: 0)
  private let head = Mutex<ResponseHead?>(nil)

  func take(_ event: TransferEvent, of transfer: TransferID) -> TransferDemand {
    switch event {
    case .head(let head): self.head.withLock { $0 = head }
    case .end, .failure: end.signal()
    case .queued, .connected, .body: break
    }
    return .more
  }

  func status() -> Int? {
    _ = end.wait(timeout: .now() + 120)
    return head.withLock { $0?.status }
  }
}
