internal import TextFormatting

/// A mode that can also be wanted once: `0`, `1` or `oneshot`, for `single` and `consume`. State files have the number of
/// the case, so their order stays.
package enum OneshotMode: String, Hashable, Sendable, CaseIterable {
  /// Not at all.
  case off = "0"
  /// From now on.
  case on = "1"
  /// For the current song only; then it is off.
  case oneshot
}

/// What `replay_gain_mode` takes.
package enum ReplayGainMode: String, Hashable, Sendable, CaseIterable {
  /// Play every file as loud as it is.
  case off
  /// The gain of the track.
  case track
  /// The gain of the album.
  case album
  /// Album, or track while the order is random.
  case auto
}

/// What `save` does with a playlist of that name.
package enum SaveMode: String, Hashable, Sendable, CaseIterable {
  /// Makes it; refused if there is one.
  case create
  /// Puts the queue behind its songs; refused if there is none.
  case append
  /// Takes its place; refused if there is none.
  case replace
}

/// What `sticker find` asks of a sticker's value. Texts are compared byte by byte, so 10 is below 9.
package enum StickerTest: Hashable, Sendable {
  case equals(Argument)
  case below(Argument)
  case above(Argument)
}

/// What `tagtypes` asks for.
package enum TagTypesRequest: Hashable, Sendable {
  /// Say which tags the client gets.
  case report
  /// All from now on.
  case all
  /// None from now on.
  case clear
  /// These as well.
  case enable(TagSet)
  /// These no more.
  case disable(TagSet)
}

/// What `interrupt` asks for.
package enum Interruption: Hashable, Sendable {
  /// A call comes in.
  case begin
  /// The call is over; whether the application is told that it should go on.
  case end(shouldResume: Bool)
}

/// What `watch` asks for.
package struct WatchRequest: Hashable, Sendable {
  /// How far apart the time records are; `nil` for none.
  package var interval: WatchInterval?
  /// Whether the records of everything but time are wanted.
  package var events: Bool

  /// A watch of time, of events, or of both.
  package init(interval: WatchInterval? = nil, events: Bool = false) {
    self.interval = interval
    self.events = events
  }
}

/// An interval as it was written, exactly: 0.01 is 1/100, not the binary fraction nearest to it.
package struct WatchInterval: Hashable, Sendable {
  /// How many of the `timescale`th parts of a second. Positive.
  package let value: Int64
  /// A power of ten, at most 10^9.
  package let timescale: Int32

  /// Reads a decimal fraction of seconds between `ProtocolLimits.shortestWatchInterval` and
  /// `ProtocolLimits.longestWatchInterval`: digits, and with a point at most nine after it. `nil` for anything else.
  package init?(_ text: some StringProtocol) {
    var value: Int64 = 0
    var timescale: Int32 = 1
    var isFraction = false
    var digits = 0
    for byte in text.utf8 {
      if byte == 0x2E, !isFraction {
        isFraction = true
      } else if byte.isDigit {
        // Bounds the value below 10^15 and the scale to 10^9, so neither overflows.
        digits += 1
        guard digits <= 15, !isFraction || timescale < 1_000_000_000 else { return nil }
        value = value * 10 + Int64(byte - 0x30)
        if isFraction { timescale *= 10 }
      } else {
        return nil
      }
    }
    guard digits > 0 else { return nil }
    while timescale > 1, value.isMultiple(of: 10) {
      value /= 10
      timescale /= 10
    }
    self.value = value
    self.timescale = timescale
    guard (ProtocolLimits.shortestWatchInterval...ProtocolLimits.longestWatchInterval).contains(seconds)
    else {
      return nil
    }
  }

  /// In seconds.
  package var seconds: Double { Double(value) / Double(timescale) }
}

extension WatchInterval: CustomStringConvertible {
  /// The shortest decimal fraction that reads back as the same interval.
  package var description: String {
    DecimalFraction.text(value: value, timescale: timescale)
  }
}
