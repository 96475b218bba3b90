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

@Suite("Live streams, decoded", .blocksThread)
struct LiveTests {
  static func fixture(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: Repository.fixtures.appendingPathComponent(name)))
  }

  private func medium(_ server: HostileServer) throws -> RemoteMedium {
    let environment = RemoteEnvironment(
      transport: CurlHTTPTransport(), clock: SystemClock.shared, cache: MediaCache())
    return RemoteMedium(
      url: try WebURL.read(server.url("/radio")).url, settings: RequestSettings(userAgent: "Continuo/test"),
      environment: environment)
  }

  /// What `bytes` decode to as a file.
  static func samples(_ bytes: [UInt8]) throws -> [Float] {
    let folder = try TemporaryFolder()
    let path = folder.path + "/song.mp3"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let listener = Listener()
    return try listener.samples(of: try listener.open(AudioFile(path: path)))
  }

  /// Where the MPEG frames begin. Of the fixtures without free format and tags.
  static func frameStarts(_ bytes: [UInt8]) -> [Int] {
    var starts: [Int] = []
    var place = 0
    let rates = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
    while place + 4 <= bytes.count, bytes[place] == 0xFF {
      starts.append(place)
      let rate = rates[Int(bytes[place + 2] >> 4)] * 1000
      place += 144 * rate / 44_100 + Int(bytes[place + 2] >> 1 & 1)
    }
    return starts
  }

  /// The stream with a block behind each `interval` bytes; `block` makes the one that stands before that byte.
  static func stream(_ sound: [UInt8], interval: Int, block: (Int) -> [UInt8]) -> [UInt8] {
    var stream: [UInt8] = []
    for start in stride(from: 0, to: sound.count, by: interval) {
      let end = start + interval
      stream += sound[start..<min(end, sound.count)]
      guard end <= sound.count else { break }
      let text = block(end)
      stream.append(UInt8((text.count + 15) / 16))
      stream += text + [UInt8](repeating: 0, count: (16 - text.count % 16) % 16)
    }
    return stream
  }

  private func head(_ interval: Int?, _ lines: [String] = ["icy-name: Lab"]) -> [UInt8] {
    Array(
      (["ICY 200 OK"] + lines + (interval.map { ["icy-metaint: \($0)"] } ?? []) + ["", ""])
        .joined(separator: "\r\n").utf8)
  }

  /// Reads so many frames, and what the medium says about itself meanwhile.
  private func read(_ medium: RemoteMedium, frames: Int) throws -> (
    samples: [Float], tags: [TimedTag], decoder: any AudioDecoder
  ) {
    let listener = Listener()
    let decoder = try listener.open(medium)
    var samples: [Float] = []
    var tags: [TimedTag] = []
    let channels = decoder.format.channelCount
    var buffer = [Float](repeating: 0, count: 4_096 * channels)
    while samples.count < frames * channels {
      let seen = listener.count
      let room = min(buffer.count, frames * channels - samples.count)
      let read = try buffer.withUnsafeMutableBufferPointer { buffer in
        try decoder.read(into: UnsafeMutableBufferPointer(rebasing: buffer[..<room]))
      }
      tags += decoder.takeTags()
      switch read {
      case .frames(let count): samples += buffer[..<(count * channels)]
      case .end:
        Issue.record("a live stream ended")
        return (samples, tags, decoder)
      case .waiting: _ = try listener.wait(after: seen)
      }
    }
    return (samples, tags, decoder)
  }

  @Test("a stream that is lost again and again: one decoder, with the sound of each connection")
  func joints() throws {
    let song = try Self.fixture("noinfo-cbr.mp3")
    let samples = try Self.samples(song)
    let head = head(nil)
    let server = try HostileServer { _ in [.send(head), .send(song), .close] }
    let heard = try read(try medium(server), frames: samples.count / 2 * 3)
    let isSame = heard.samples == samples + samples + samples
    #expect(isSame)
    #expect(heard.decoder.frameCount == .unknown && heard.decoder.live?.name == "Lab")
    #expect(heard.decoder.supply.isComplete == false)
    // At most ten requests in a second.
    #expect(server.requests.count >= 3)
  }

  @Test("after metadata that is no text, sound goes on behind damage")
  func damageAfterBrokenMetadata() throws {
    let song = try Self.fixture("noinfo-cbr.mp3")
    let broken = Self.stream(Array(song.prefix(4_000)), interval: 1_000) { _ in
      [UInt8](repeating: 0xFB, count: 16)
    }
    let heads = (head(1_000), head(nil))
    let damage = [UInt8](repeating: 0, count: 70 * 1024)
    let server = try HostileServer { request in
      request.number == 1
        ? [.send(heads.0), .send(broken), .hang] : [.send(heads.1), .send(song + damage + song), .hang]
    }
    let frames = try Self.samples(song).count / 2
    let heard = try read(try medium(server), frames: frames * 3 / 2)
    #expect(heard.samples.count == frames / 2 * 3 * 2 && server.requests.count == 2)
  }

  @Test("an Info frame at the beginning counts for nothing, and is no sound")
  func infoFrame() throws {
    let file = try Self.fixture("cbr-44100-stereo.mp3")
    let starts = Self.frameStarts(file)
    let sound = Array(file[starts[1]...])
    let samples = try Self.samples(sound)
    let head = head(nil)
    let server = try HostileServer { _ in [.send(head), .send(file), .close] }
    let heard = try read(try medium(server), frames: samples.count / 2 * 2)
    let isSame = heard.samples == samples + samples
    #expect(isSame)
    #expect(heard.decoder.frameCount == .unknown)
  }

  @Test(
    "titles belong to the first frame behind their block, whatever the interval; sound is the stream without blocks",
    arguments: [1, 16, 8_192, 1_000_000])
  func titles(_ interval: Int) throws {
    let short = try Self.fixture("noinfo-cbr.mp3")
    let sound = (0..<(interval == 1_000_000 ? 32 : 1)).flatMap { _ in short }
    let samples = try Self.samples(sound)
    let starts = Self.frameStarts(sound)
    // A new title every 10,000 bytes at the most often, with what stations write into them.
    let texts = [
      Array("StreamTitle='It's; a='b'';StreamUrl='http://x/?a=1;b';".utf8),
      Array("StreamTitle='Caf".utf8) + [0xE9] + Array("';".utf8), Array("StreamTitle='';".utf8),
      Array("StreamTitle='".utf8) + [UInt8](repeating: 0x41, count: 4_080 - 15) + Array("';".utf8),
    ]
    let meant = ["It's; a='b'", "Café", "", String(repeating: "A", count: 4_065)]
    var places: [Int] = []
    let stream = Self.stream(sound, interval: interval) { place in
      let number = places.count
      let last = places.last ?? 0
      guard place - last >= max(7_000, interval) else { return [] }
      places.append(place)
      return texts[number % texts.count]
    }
    let head = head(interval)
    let server = try HostileServer { _ in [.send(head), .send(stream), .hang] }
    let heard = try read(try medium(server), frames: samples.count / 2 - 4_608)
    #expect(samples.starts(with: heard.samples))
    var expected: [TimedTag] = []
    for (number, place) in places.enumerated() {
      guard let frame = starts.firstIndex(where: { $0 >= place }), frame * 1_152 < heard.samples.count / 2
      else { continue }
      var fields = [MediaTag.Field(icy: "StreamTitle", meant[number % meant.count])]
      if number % texts.count == 0 { fields.append(MediaTag.Field(icy: "StreamUrl", "http://x/?a=1;b")) }
      expected.append(TimedTag(frame: Int64(frame * 1_152), tag: MediaTag(fields: fields)))
    }
    #expect(!expected.isEmpty && heard.tags.map(\.tag) == expected.map(\.tag))
    for (told, meant) in zip(heard.tags, expected) { #expect(abs(told.frame - meant.frame) <= 1_152) }
  }

  @Test("a block that the end of the connection cuts is none, and titles go on behind it")
  func cutBlock() throws {
    let song = try Self.fixture("noinfo-cbr.mp3")
    let samples = try Self.samples(song)
    let title = Array("StreamTitle='whole';".utf8)
    let block = [2] + title + [UInt8](repeating: 0, count: 32 - title.count)
    let head = head(8_192)
    let server = try HostileServer { request in
      var body = Array(song[..<8_192]) + block + song[8_192..<16_384] + [0]
      body += song[16_384..<24_576] + [0] + song[24_576...]
      // The rest of the song fills the interval only in part: no block is due.
      if request.number == 1 { body = Array(song[..<8_192]) + block.prefix(9) }
      return [.send(head), .send(body), request.number == 1 ? .close : .hang]
    }
    let first = try Self.samples(Array(song[..<8_192]))
    let heard = try read(try medium(server), frames: first.count / 2 + samples.count / 2 - 4_608)
    let isSame = (first + samples).starts(with: heard.samples)
    #expect(isSame)
    #expect(heard.tags.map { $0.tag.text("StreamTitle") } == ["whole"])
  }

  @Test(
    "metadata that are none are asked off: three broken blocks, or no frame in 64 KiB",
    arguments: [true, false])
  func withoutMetadata(_ isBroken: Bool) throws {
    let song = try Self.fixture("noinfo-cbr.mp3")
    let samples = try Self.samples(song)
    let (with, without) = (head(64), head(nil))
    let server = try HostileServer { request in
      guard request.fields["icy-metadata"] != nil else { return [.send(without), .send(song), .hang] }
      // An interval that is not kept: blocks are where no blocks are.
      let noise = [UInt8](repeating: isBroken ? 1 : 0, count: 40_000)
      return [.send(with), .sendForEver(noise)]
    }
    let heard = try read(try medium(server), frames: samples.count / 2 - 4_608)
    let isSame = samples.starts(with: heard.samples)
    #expect(isSame)
    #expect(server.requests.map { $0.fields["icy-metadata"] } == ["1", nil])
  }

  @Test("neither length nor version nor Info frame: live, and comes back; with one of them it is a file")
  func withoutLength() throws {
    let song = try Self.fixture("noinfo-cbr.mp3")
    let samples = try Self.samples(song)
    let head = HostileFile.head("200 OK", ["Content-Type: audio/mpeg", "Connection: close"])
    let server = try HostileServer { _ in [.send(head), .send(song), .close] }
    let heard = try read(try medium(server), frames: samples.count)
    let isSame = heard.samples == samples + samples
    #expect(isSame && heard.decoder.live != nil)

    for (name, lines) in [("noinfo-cbr.mp3", ["ETag: \"1\""]), ("cbr-44100-stereo.mp3", [])] {
      let song = try Self.fixture(name)
      let head = HostileFile.head("200 OK", lines + ["Connection: close"])
      let server = try HostileServer { _ in [.send(head), .send(song), .close] }
      let listener = Listener()
      let decoder = try listener.open(try medium(server))
      #expect(decoder.live == nil)
      let isFile = try listener.samples(of: decoder) == Self.samples(song)
      #expect(isFile)
    }
  }

  @Test("a web page in the place of a stream is no sound")
  func noSound() throws {
    let head = head(nil)
    let page = Array(String(repeating: "<p>Nothing is on the air.</p>", count: 100_000).utf8)
    let server = try HostileServer { _ in [.send(head), .send(page), .hang] }
    let error = #expect(throws: DecodingError.self) { try read(try medium(server), frames: 1) }
    #expect(error?.reason == .notRecognized)
  }
}
