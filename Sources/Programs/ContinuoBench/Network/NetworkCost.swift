import Foundation

/// The cost of playing a song from the network compared with playing the same file, and the bytes needed for
/// a start. The server is this program's own, on loopback.
struct NetworkCost {
  let bench: Bench
  let server: AudioServer

  /// The readings of one player, one for each round.
  private struct Figures {
    var file: [Double] = []
    var http: [Double] = []
    var bytes: [Double] = []
    var cover: [Double] = []
    var fileCost: [PlaybackCost.Reading] = []
    var httpCost: [PlaybackCost.Reading] = []
    var requests: [Double] = []
  }

  /// The rate of the throttled server that sends a cover, in bytes a second, and the size of the cover in
  /// bytes.
  private static let coverRate = 200_000.0
  private static let coverLength = 1_000_000
  /// The time in which requests to a failing server are counted, in seconds.
  private static let refusalSeconds = 10.0

  func run() throws -> Table {
    guard let path = bench.files.first else { throw BenchError("there is no file") }
    let song = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let players = bench.players.filter { $0.name != "continuo+observer" }
    var figures: [String: Figures] = [:]
    var failures: [String] = []
    for round in 0..<bench.rounds {
      for player in Bench.rotated(players, by: round) {
        Bench.say("network: round \(round + 1) of \(bench.rounds), \(player.name)")
        measure(player, path, song, &figures[player.name, default: Figures()]) {
          failures.append("\(player.name): \($0)")
        }
      }
    }
    var table = Table(
      title: "From http on loopback (\(bench.rounds) rounds, medians)",
      header: [
        "player", "start ms", "beside file", "KB before sound", "1 MB cover s", "CPU s", "beside file",
        "peak MB", "beside file", "requests/10 s",
      ])
    func signed(_ number: Double) -> String { (number < 0 ? "" : "+") + fixed(number, 1) }
    for player in players {
      guard let all = figures[player.name] else { continue }
      func median(_ values: [Double]) -> Double { Readings(values).median }
      let cpu = median(all.httpCost.map(\.cpu)), peak = median(all.httpCost.map(\.peakMB))
      table.rows.append([
        player.name, fixed(median(all.http) * 1_000, 1),
        signed((median(all.http) - median(all.file)) * 1_000), fixed(median(all.bytes) / 1_000, 1),
        fixed(median(all.cover), 2), fixed(cpu, 3), ratio(cpu, to: median(all.fileCost.map(\.cpu))),
        fixed(peak, 1), signed(peak - median(all.fileCost.map(\.peakMB))), fixed(median(all.requests), 0),
      ])
    }
    table.failures = failures
    table.notes = [
      "KB before sound: sent by a server at 1.2 × the bit rate until the monitor sounds, with what its buffers hold.",
      "1 MB cover: seconds to the first sound at 200 KB/s. Requests: to a server that closes without an answer.",
    ]
    return table
  }

  private func measure(
    _ player: any Player, _ path: String, _ song: [UInt8], _ figures: inout Figures, failed: (String) -> Void
  ) {
    let start = FirstSound(bench: bench, server: server)
    func attempt(_ what: String, _ body: () throws -> Void) {
      do { try body() } catch { failed("\(what): \(error)") }
    }
    func serving(_ medium: [UInt8]?, _ rate: Double? = nil, _ body: (MediaServer) throws -> Void) throws {
      let media = try MediaServer(medium, bytesPerSecond: rate)
      defer { media.stop() }
      try body(media)
    }
    attempt("start") {
      figures.file.append(try start.measure(player, [path]))
      try serving(song) { figures.http.append(try start.measure(player, [$0.url])) }
    }
    attempt("bytes before sound") {
      try serving(song, Self.bytesPerSecond(of: song) * 1.2) { media in
        var sent = 0
        _ = try start.measure(player, [media.url], limit: 30) { sent = media.bytesSent }
        figures.bytes.append(Double(sent))
      }
    }
    attempt("cover") {
      try serving(Self.withCover(song), Self.coverRate) {
        figures.cover.append(try start.measure(player, [$0.url], limit: 30))
      }
    }
    attempt("cost") {
      let cost = PlaybackCost(bench: bench, server: server)
      figures.fileCost.append(try cost.measure(player, [path]))
      try serving(song) { figures.httpCost.append(try cost.measure(player, [$0.url])) }
    }
    attempt("requests") {
      try serving(nil) { media in
        let child = try player.play([media.url], on: server)
        usleep(useconds_t(Self.refusalSeconds * 1_000_000))
        figures.requests.append(Double(media.requests))
        _ = try player.stop(child)
      }
    }
  }

  /// Returns the bit rate of the song's first frame in bytes a second (MPEG 1, layer III); 16,000 without
  /// such a frame.
  private static func bytesPerSecond(of song: [UInt8]) -> Double {
    let rates = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0]
    let place = SongLinks.tagSize(song)
    guard place + 2 < song.count, song[place] == 0xFF, song[place + 1] & 0xFE == 0xFA else { return 16_000 }
    let rate = rates[Int(song[place + 2] >> 4)]
    return rate > 0 ? Double(rate) * 125 : 16_000
  }

  /// Returns the song with a tag that contains a picture of a million bytes, in place of its own tag.
  private static func withCover(_ song: [UInt8]) -> [UInt8] {
    func sevenBits(_ number: Int) -> [UInt8] {
      [21, 14, 7, 0].map { UInt8(truncatingIfNeeded: number >> $0 & 0x7F) }
    }
    let sound = song.dropFirst(SongLinks.tagSize(song))
    let picture = [0] + Array("image/jpeg".utf8) + [0, 3, 0] + [UInt8](repeating: 0x55, count: coverLength)
    let frame = Array("APIC".utf8) + sevenBits(picture.count) + [0, 0] + picture
    return Array("ID3".utf8) + [4, 0, 0] + sevenBits(frame.count) + frame + sound
  }
}
