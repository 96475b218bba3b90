import ControlProtocol
import TextFormatting

/// A new speed, or a change of the current speed.
enum SpeedTarget: Hashable, Sendable {
  case absolute(PlaybackSpeed)
  /// The change in percent of the recorded speed.
  case relative(Int)

  init(parsing text: String) throws(SyntaxError) {
    if let sign = text.sign, let change = PlaybackSpeed.hundredths(text.dropFirst()) {
      self = .relative(sign * change)
    } else if let speed = PlaybackSpeed(text) {
      self = .absolute(speed)
    } else {
      throw SyntaxError("\"\(text)\" is not a speed from 0.25 to 4, or a change like +0.1 or -0.1")
    }
  }

  func speed(from present: PlaybackSpeed) -> PlaybackSpeed {
    switch self {
    case .absolute(let speed): speed
    case .relative(let change): PlaybackSpeed(clamping: present.percent + change)
    }
  }
}

extension SpeedTarget: CustomStringConvertible {
  var description: String {
    switch self {
    case .absolute(let speed): "\(speed)"
    case .relative(let change):
      (change < 0 ? "-" : "+") + DecimalFraction.text(value: Int64(change.magnitude), timescale: 100)
    }
  }
}

extension String {
  /// The factor of the sign at the beginning of a change, 1 or -1; nil without a sign.
  var sign: Int? { first.flatMap { $0 == "+" ? 1 : $0 == "-" ? -1 : nil } }
}
