public import Foundation
public import MediaTime

/// Gives `NSValue` the initialisers of a subclass: Linux Foundation cannot put a struct of others into an `NSValue`
/// itself ("cannot encode structs"), and a class cannot return a subclass from an initialiser, but a protocol's
/// extension can.
public protocol MediaTimeValueInitializing {}

extension NSValue: MediaTimeValueInitializing {}

extension MediaTimeValueInitializing where Self: NSValue {
  /// An object that holds `time`; equal to others that hold an equal time.
  public init(time: CMTime) { self.init(boxing: MediaTimeValue(.time(time))) }

  /// An object that holds `timeRange`.
  public init(timeRange: CMTimeRange) { self.init(boxing: MediaTimeValue(.range(timeRange))) }

  private init(boxing value: MediaTimeValue) {
    guard let value = value as? Self else {
      preconditionFailure("a subclass of NSValue cannot hold a CMTime")
    }
    self = value
  }
}

extension NSValue {
  /// The time that this was made with; invalid if it was made with something else.
  public var timeValue: CMTime {
    if case .time(let time)? = (self as? MediaTimeValue)?.content { time } else { .invalid }
  }

  /// The range that this was made with; invalid if it was made with something else.
  public var timeRangeValue: CMTimeRange {
    if case .range(let range)? = (self as? MediaTimeValue)?.content { range } else { .invalid }
  }
}

/// An `NSValue` with a time or a range of times in it.
///
/// Unchecked because `NSValue` is not Sendable; it is never changed.
private final class MediaTimeValue: NSValue, @unchecked Sendable {
  enum Content: Equatable {
    case time(CMTime)
    case range(CMTimeRange)
  }

  let content: Content

  init(_ content: Content) {
    self.content = content
    super.init()
  }

  /// Makes an invalid time; only there because the superclass requires it.
  required init(bytes value: UnsafeRawPointer, objCType type: UnsafePointer<Int8>) {
    content = .time(.invalid)
    super.init()
  }

  /// Not supported, as little as for the `NSValue` of any struct on Linux.
  required init?(coder: NSCoder) { nil }

  override func isEqual(_ object: Any?) -> Bool { (object as? MediaTimeValue)?.content == content }

  /// By the seconds, so that equal times of different timescales have equal hashes.
  override var hash: Int {
    switch content {
    case .time(let time): time.seconds.hashValue
    case .range(let range): range.start.seconds.hashValue
    }
  }

  override func copy(with zone: NSZone? = nil) -> Any { self }

  override var description: String {
    switch content {
    case .time(let time): "CMTime: \(time)"
    case .range(let range): "CMTimeRange: \(range)"
    }
  }
}
