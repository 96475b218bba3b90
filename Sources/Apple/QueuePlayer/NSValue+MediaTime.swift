public import Foundation
public import MediaTime

/// Adds initializers to `NSValue` for `CMTime` and `CMTimeRange`. They return a subclass, because Foundation
/// on Linux cannot store structs in an `NSValue` itself ("cannot encode structs"). Only initializers in a
/// protocol extension can return a subclass.
public protocol MediaTimeValueInitializing {}

extension NSValue: MediaTimeValueInitializing {}

extension MediaTimeValueInitializing where Self: NSValue {
  /// Creates an object that contains `time`. Objects with equal times are equal.
  public init(time: CMTime) { self.init(boxing: MediaTimeValue(.time(time))) }

  /// Creates an object that contains `timeRange`.
  public init(timeRange: CMTimeRange) { self.init(boxing: MediaTimeValue(.range(timeRange))) }

  private init(boxing value: MediaTimeValue) {
    guard let value = value as? Self else {
      preconditionFailure("a subclass of NSValue cannot hold a CMTime")
    }
    self = value
  }
}

extension NSValue {
  /// The time from `init(time:)`; invalid for any other object.
  public var timeValue: CMTime {
    if case .time(let time)? = (self as? MediaTimeValue)?.content { time } else { .invalid }
  }

  /// The range from `init(timeRange:)`; invalid for any other object.
  public var timeRangeValue: CMTimeRange {
    if case .range(let range)? = (self as? MediaTimeValue)?.content { range } else { .invalid }
  }
}

/// An `NSValue` that contains a time or a time range.
///
/// Unchecked because `NSValue` is not Sendable; the content is immutable.
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

  /// Creates an object with an invalid time. Exists because the superclass requires the initializer.
  required init(bytes value: UnsafeRawPointer, objCType type: UnsafePointer<Int8>) {
    content = .time(.invalid)
    super.init()
  }

  /// Returns nil, because Foundation on Linux cannot decode an `NSValue` of a struct.
  required init?(coder: NSCoder) { nil }

  override func isEqual(_ object: Any?) -> Bool { (object as? MediaTimeValue)?.content == content }

  /// Derived from the seconds, so that equal times of different timescales have equal hashes.
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
