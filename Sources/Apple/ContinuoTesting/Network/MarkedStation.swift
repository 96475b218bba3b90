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
  private enum Piece {
    /// A range of the stream.
    case audio(Range<Int64>)
    case metadata(ArraySlice<UInt8>)
  }

  private let station: MarkedStation
  private let hasMetadata: Bool
  /// The offset in the stream of the next audio byte.
  private var offset: Int64
  /// The number of audio bytes before the next metadata block.
  private var interval = MarkedStation.interval
  /// The bytes of a metadata block that follow before the next audio byte.
  private var metadata: ArraySlice<UInt8> = []
  private var lastTitle: String?

  init(_ station: MarkedStation, at now: HostTime, wantsMetadata: Bool) {
    self.station = station
    hasMetadata = wantsMetadata
    offset = station.stream.start(of: station.frame(at: Duration(now) - station.burst))
  }

  var head: ResponseHead {
    var fields = [
      ("Content-Type", "audio/mpeg"), ("icy-name", station.name),
      ("icy-br", "\(station.stream.bitRate / 1000)"),
    ]
    if hasMetadata { fields.append(("icy-metaint", "\(MarkedStation.interval)")) }
    return ResponseHead(status: 200, fields: fields)
  }

  /// Returns the time at which the next `count` bytes are available; the device's start for bytes sent before it. A
  /// metadata block is available with the audio before it.
  func moment(of count: Int) -> HostTime {
    var body = self
    body.read(count) { _ in }
    return HostTime(max(.zero, station.moment(of: body.offset)))
  }

  mutating func take(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    read(count) { [station] piece in
      switch piece {
      case .audio(let range): bytes += station.stream.bytes(range)
      case .metadata(let block): bytes += block
      }
    }
    return bytes
  }

  /// Advances by `count` bytes, and calls `body` with their pieces.
  private mutating func read(_ count: Int, _ body: (Piece) -> Void) {
    var left = count
    while left > 0 {
      if metadata.isEmpty {
        let audio = min(left, interval)
        body(.audio(offset..<offset + Int64(audio)))
        offset += Int64(audio)
        interval -= audio
        left -= audio
        guard interval == 0 else { continue }
        interval = MarkedStation.interval
        if hasMetadata { metadata = block()[...] }
      } else {
        let block = metadata.prefix(left)
        body(.metadata(block))
        metadata = metadata.dropFirst(block.count)
        left -= block.count
      }
    }
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
