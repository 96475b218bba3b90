internal import TextFormatting

/// A mode that can also apply once: `0`, `1` or `oneshot`, for `single` and `consume`. State files store the
/// index of the case, so the order must not change.
package enum OneshotMode: String, Hashable, Sendable, CaseIterable {
  case off = "0"
  case on = "1"
  case oneshot
}

/// The argument of `replay_gain_mode`. State files store the index of the case, so the order must not change.
package enum ReplayGainMode: String, Hashable, Sendable, CaseIterable {
  case off
  case track
  case album
  /// The track gain in random order, the album gain otherwise.
  case auto
}

/// The argument of `save`: how the queue becomes a stored playlist.
package enum SaveMode: String, Hashable, Sendable, CaseIterable {
  /// Create the playlist. Refused if it exists.
  case create
  /// Append the queue to the playlist. Refused if it does not exist.
  case append
  /// Replace the playlist. Refused if it does not exist.
  case replace
}

/// The test of a sticker's value in `sticker find`. Values are compared byte by byte, so 10 is below 9.
package enum StickerTest: Hashable, Sendable {
  case equals(Argument)
  case below(Argument)
  case above(Argument)
}

/// The argument of `sleep`.
package enum SleepRequest: Hashable, Sendable {
  /// Pause after a time, above 0 and at most `ProtocolLimits.longestSleep` seconds.
  case after(Milliseconds)
  /// Pause at the end of the current song.
  case song
  case off
}

package enum TagTypesRequest: Hashable, Sendable {
  case report
  case all
  case clear
  /// Include these tags in addition.
  case enable(TagSet)
  /// Omit these tags from now on.
  case disable(TagSet)
}

package enum Interruption: Hashable, Sendable {
  case begin
  /// The interruption has ended; `shouldResume` is the system's recommendation to resume playback.
  case end(shouldResume: Bool)
}

package struct WatchRequest: Hashable, Sendable {
  /// The interval of the time records; nil for none.
  package var interval: WatchInterval?
  /// Whether to send the records of all other events.
  package var events: Bool

  package init(interval: WatchInterval? = nil, events: Bool = false) {
    self.interval = interval
    self.events = events
  }
}

/// A decimal interval, stored exactly: 0.01 is 1/100, not the nearest binary fraction.
package struct WatchInterval: Hashable, Sendable {
  /// The length in units of 1/`timescale` second. Positive.
  package let value: Int64
  /// The number of units in a second: a power of ten, at most 10^9.
  package let timescale: Int32

  /// Reads a decimal number of seconds from `ProtocolLimits.shortestWatchInterval` to
  /// `ProtocolLimits.longestWatchInterval`. At most 15 digits are allowed, and at most nine of them after the
  /// point. Nil for anything else.
  package init?(_ text: some StringProtocol) {
    var value: Int64 = 0
    var timescale: Int32 = 1
    var isFraction = false
    var digits = 0
    for byte in text.utf8 {
      if byte == 0x2E, !isFraction {
        isFraction = true
      } else if byte.isDigit {
        // Keeps the value below 10^15 and the timescale at most 10^9, so neither overflows.
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
    else { return nil }
  }

  package var seconds: Double { Double(value) / Double(timescale) }
}

extension WatchInterval: CustomStringConvertible {
  /// The interval in seconds, as the shortest decimal number that reads back as the same value.
  package var description: String { DecimalFraction.text(value: value, timescale: timescale) }
}
