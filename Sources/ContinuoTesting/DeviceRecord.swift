import HostTime

/// Everything that happened on a test device, in order, one line for each event. A test can compare it with a
/// text, and a person can read what went wrong.
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
/// Each line begins with the moment on the device's clock, in seconds. The text is the same in each run.
public struct DeviceRecord: Hashable, Sendable, CustomStringConvertible {
  /// One line.
  public struct Entry: Hashable, Sendable, CustomStringConvertible {
    /// When it happened, on the device's clock. For a line with several times of a player: the first of them.
    public var moment: Duration
    /// What happened, without the moment.
    public var text: String

    /// `5.000 state background`
    public var description: String { "\(HostTime(moment).inSeconds) \(text)" }
  }

  /// The lines in order.
  public var entries: [Entry]

  /// The lines, one below the other.
  public var description: String { entries.map(\.description).joined(separator: "\n") }

  /// The lines from that moment on.
  public func since(_ moment: Duration) -> DeviceRecord {
    DeviceRecord(entries: entries.filter { $0.moment >= moment })
  }

  /// The lines whose text begins with one of these: `record.only("state", "call")`.
  public func only(_ beginnings: String...) -> DeviceRecord {
    DeviceRecord(
      entries: entries.filter { entry in beginnings.contains { entry.text.hasPrefix($0) } })
  }

  /// The lines whose text begins with none of these.
  public func without(_ beginnings: String...) -> DeviceRecord {
    DeviceRecord(
      entries: entries.filter { entry in !beginnings.contains { entry.text.hasPrefix($0) } })
  }

  /// Whether there is a line with exactly this text, whenever it came.
  public func contains(_ text: String) -> Bool { entries.contains { $0.text == text } }

  /// The moments of all lines with exactly this text.
  public func moments(of text: String) -> [Duration] {
    entries.filter { $0.text == text }.map(\.moment)
  }
}

/// A record is compared with a text line by line, so that `#expect(device.record == """…""")` shows both.
public func == (record: DeviceRecord, text: String) -> Bool { record.description == text }
