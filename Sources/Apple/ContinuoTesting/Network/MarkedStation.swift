import Clocks
import Transfer

/// A live stream of marked frames with titles.
struct MarkedStation: Sendable {
  /// The number of audio bytes between two metadata blocks.
  static let interval = 8_192

  let stream: MarkedStream
  let name: String
  /// The titles with their start times, in order.
  let titles: [(key: Duration, value: String)]
  /// The amount of past audio that a listener receives immediately.
  let burst: Duration

  /// The time on air before the device starts.
  static let before = Duration.seconds(60)

  func frame(at moment: Duration) -> Int64 {
    let sound = max(0, (moment + Self.before) / .seconds(1) * Double(stream.sampleRate))
    return Int64(sound) / MarkedStream.soundPerFrame
  }

  /// Returns the time at which the stream's byte at `offset` is sent.
  func moment(of offset: Int64) -> Duration {
    .seconds(Double(offset) * 8 / Double(stream.bitRate)) - Self.before
  }

  func title(at moment: Duration) -> String? { titles.last { $0.key <= moment }?.value }
}

/// The response body of a station on one connection.
struct StationBody {
  private let station: MarkedStation
  private let hasMetadata: Bool
  /// The offset in the stream at which the body begins.
  private let begin: Int64
  /// The offset in the stream of the next byte that is not in `ready`.
  private var offset: Int64
  private var ready: [UInt8] = []
  private var lastTitle: String?

  init(_ station: MarkedStation, at now: HostTime, wantsMetadata: Bool) {
    self.station = station
    hasMetadata = wantsMetadata
    begin = station.stream.start(of: station.frame(at: Duration(now) - station.burst))
    offset = begin
  }

  var head: ResponseHead {
    var fields = [
      ("Content-Type", "audio/mpeg"), ("icy-name", station.name),
      ("icy-br", "\(station.stream.bitRate / 1000)"),
    ]
    if hasMetadata { fields.append(("icy-metaint", "\(MarkedStation.interval)")) }
    return ResponseHead(status: 200, fields: fields)
  }

  /// Returns the time at which the first `count` bytes are available; the device's start for bytes sent before it.
  /// Metadata bytes count as audio.
  func moment(of count: Int64) -> HostTime { HostTime(max(.zero, station.moment(of: begin + count))) }

  mutating func take(_ count: Int) -> [UInt8] {
    while ready.count < count {
      let piece = station.stream.bytes(offset..<offset + Int64(MarkedStation.interval))
      ready += piece
      offset += Int64(piece.count)
      if hasMetadata { ready += block() }
    }
    defer { ready.removeFirst(count) }
    return Array(ready.prefix(count))
  }

  /// Returns a metadata block with the title at the next byte; an empty block if the title is unchanged
  /// or missing.
  private mutating func block() -> [UInt8] {
    let title = station.title(at: station.moment(of: offset))
    guard let title, title != lastTitle else { return [0] }
    lastTitle = title
    let text = Array("StreamTitle='\(title)';".utf8.prefix(NetworkLimits.metadataBlock))
    let units = (text.count + 15) / 16
    return [UInt8(units)] + text + [UInt8](repeating: 0, count: units * 16 - text.count)
  }
}
