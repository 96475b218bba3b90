import Clocks

/// The events on a test device, in order, one line each. Consecutive calls of a time observer share a line, and the return
/// of a call that took no time has none. A test can compare the record with a text, and a reader can see what went wrong.
///
/// ```text
/// 5.000 home
/// 5.000 call applicationWillResignActive
/// 5.000 state inactive
/// 5.000 call applicationDidEnterBackground
/// 5.000 state background
/// 5.000 state suspended
/// 5.000 silence
/// ```
///
/// Each line begins with the time on the device's clock, in seconds. The text is the same in each run if the
/// application's code runs on the main actor.
public struct DeviceRecord: Hashable, Sendable, CustomStringConvertible {
  /// A line of the record.
  public struct Entry: Hashable, Sendable, CustomStringConvertible {
    /// The time on the device's clock. For a line that combines calls of a time observer, the time of the first
    /// call.
    public var moment: Duration
    /// The description of the event, without the time.
    public var text: String

    /// The time and the text: `5.000 state background`.
    public var description: String { "\(HostTime(moment).inSeconds) \(text)" }
  }

  /// The lines of the record, in order.
  public var entries: [Entry]

  /// The lines, separated by newlines.
  public var description: String { entries.map(\.description).joined(separator: "\n") }

  /// Returns the lines from the given time on.
  public func since(_ moment: Duration) -> DeviceRecord {
    DeviceRecord(entries: entries.filter { $0.moment >= moment })
  }

  /// Returns the lines whose text has one of these prefixes: `record.only("state", "call")`.
  public func only(_ beginnings: String...) -> DeviceRecord {
    DeviceRecord(
      entries: entries.filter { entry in beginnings.contains { entry.text.hasPrefix($0) } })
  }

  /// Returns the lines whose text has none of these prefixes.
  public func without(_ beginnings: String...) -> DeviceRecord {
    DeviceRecord(
      entries: entries.filter { entry in !beginnings.contains { entry.text.hasPrefix($0) } })
  }

  /// Returns whether a line has exactly this text, at any time.
  public func contains(_ text: String) -> Bool { entries.contains { $0.text == text } }

  /// Returns the times of all lines with exactly this text.
  public func moments(of text: String) -> [Duration] { entries.filter { $0.text == text }.map(\.moment) }
}

/// Returns whether the description of a record equals a text, so that `#expect(device.record == """…""")`
/// shows both.
public func == (record: DeviceRecord, text: String) -> Bool { record.description == text }
