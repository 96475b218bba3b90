public import Foundation
public import MediaTime
import Synchronization

/// A metadata item: a value with a key in a key space.
///
/// Items of an asset are complete and immutable, so loading values reads no file. Any thread; no call blocks.
open class AVMetadataItem: NSObject, NSCopying, NSMutableCopying, AVAsynchronousKeyValueLoading,
  @unchecked Sendable
{
  // Unchecked because the class is open; a mutex protects all state.

  struct Content: Sendable {
    enum Value: Sendable {
      case text(String)
      case number(Double)
      case date(Date)
      case data(Data)
    }
    var identifier: AVMetadataIdentifier?
    var commonKey: AVMetadataKey?
    var value: Value?
    var info: String?
    var dataType: String?
    var languageTag: String?
    /// Whether the value is a picture of the front cover.
    var isFrontCover = false
    var time = CMTime.invalid
    var duration = CMTime.invalid
  }

  let content: Mutex<Content>

  /// Creates an item without content.
  public override init() {
    content = Mutex(Content())
    super.init()
  }

  init(_ content: Content) {
    self.content = Mutex(content)
    super.init()
  }

  // MARK: Names

  /// The identifier, which combines key space and key; nil if unset.
  open var identifier: AVMetadataIdentifier? { content.withLock { $0.identifier } }

  /// The key in its key space: a string, such as the identifier of an ID3 frame; nil without an identifier.
  open var key: Any? { Self.parts(identifier)?.key }

  /// The key space of `key`; nil without an identifier.
  open var keySpace: AVMetadataKeySpace? { Self.parts(identifier)?.keySpace }

  /// The common key with the same meaning; nil if none exists.
  open var commonKey: AVMetadataKey? { content.withLock { $0.commonKey } }

  /// The type of the value, by Apple's names, for example `com.apple.metadata.datatype.UTF-8`; nil if unset.
  open var dataType: String? { content.withLock { $0.dataType } }

  /// The language by BCP 47; nil if unknown.
  open var extendedLanguageTag: String? { content.withLock { $0.languageTag } }

  /// The language as a locale; nil if unknown.
  open var locale: Locale? { extendedLanguageTag.map { Locale(identifier: $0) } }

  /// The time from which the item applies; invalid if it applies to the whole asset.
  open var time: CMTime { content.withLock { $0.time } }

  /// The duration for which the item applies; invalid if it applies to the whole asset. If the end is unknown,
  /// indefinite for an item of a chapter, and invalid for an item of a live stream.
  open var duration: CMTime { content.withLock { $0.duration } }

  /// The additional attributes, which contain the description under the key `info`; nil without a
  /// description.
  open var extraAttributes: [AVMetadataExtraAttributeKey: Any]? {
    content.withLock { $0.info }.map { [.info: $0] }
  }

  // MARK: Values

  /// The value: a `String`, `NSNumber`, `Date` or `Data`; nil if unset. Of type `Any`, because on Linux the protocol type
  /// that Apple declares cannot be cast to these types.
  open var value: Any? {
    switch content.withLock({ $0.value }) {
    case nil: nil
    case .text(let text): text
    case .number(let number): NSNumber(value: number)
    case .date(let date): date
    case .data(let data): data
    }
  }

  /// The value as text; nil for bytes and dates.
  open var stringValue: String? {
    switch content.withLock({ $0.value }) {
    case .text(let text): text
    case .number(let number): Int(exactly: number).map { "\($0)" } ?? "\(number)"
    case .data, .date, nil: nil
    }
  }

  /// The value as a number; nil for bytes, dates and texts that are not numbers.
  open var numberValue: NSNumber? {
    switch content.withLock({ $0.value }) {
    case .number(let number): NSNumber(value: number)
    case .text(let text): Int(text).map { NSNumber(value: $0) } ?? Double(text).map { NSNumber(value: $0) }
    case .data, .date, nil: nil
    }
  }

  /// The value as a date, in UTC. A text must have the form `2004-05-06T07:08:09` or be a beginning of it,
  /// such as `2004` or `2004-05-06`. Nil for bytes, numbers and other texts.
  open var dateValue: Date? {
    switch content.withLock({ $0.value }) {
    case .date(let date): date
    case .text(let text): Self.date(text)
    case .data, .number, nil: nil
    }
  }

  /// The value as bytes: a picture's file, or a text in UTF-8. Nil for numbers and dates.
  open var dataValue: Data? {
    switch content.withLock({ $0.value }) {
    case .data(let data): data
    case .text(let text): Data(text.utf8)
    case .number, .date, nil: nil
    }
  }

  // MARK: Loading

  /// Returns `loaded` for every key.
  open func statusOfValue(forKey key: String, error outError: NSErrorPointer) -> AVKeyValueStatus { .loaded }

  /// Calls `handler` before returning.
  @preconcurrency
  open func loadValuesAsynchronously(
    forKeys keys: [String], completionHandler handler: (@Sendable () -> Void)? = nil
  ) { handler?() }

  // MARK: Copies

  /// Returns an immutable item: this object, or a copy of an `AVMutableMetadataItem`.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Returns an `AVMutableMetadataItem` with the same content.
  open func mutableCopy(with zone: NSZone? = nil) -> Any { AVMutableMetadataItem(content.withLock { $0 }) }

  // MARK: Filtering

  /// Returns the items with this identifier. A common identifier also matches items with its common key.
  public static func metadataItems(
    from metadataItems: [AVMetadataItem], filteredByIdentifier identifier: AVMetadataIdentifier
  ) -> [AVMetadataItem] {
    metadataItems.filter { item in
      item.identifier == identifier
        || item.commonKey.map { self.identifier(forKey: $0.rawValue, keySpace: .common) } == identifier
    }
  }

  /// Returns the items with this key, a string or an `AVMetadataKey`, in this key space. Nil matches any key
  /// or key space. The key space `common` matches items with the common key.
  public static func metadataItems(
    from metadataItems: [AVMetadataItem], withKey key: Any?, keySpace: AVMetadataKeySpace?
  ) -> [AVMetadataItem] {
    let name = (key as? AVMetadataKey)?.rawValue ?? (key as? NSString).map { "\($0)" } ?? key as? String
    return metadataItems.filter { item in
      func matches(_ candidate: String?, _ space: AVMetadataKeySpace?) -> Bool {
        candidate != nil && (key == nil || candidate == name) && (keySpace == nil || space == keySpace)
      }
      return matches(parts(item.identifier)?.key, item.keySpace) || matches(item.commonKey?.rawValue, .common)
    }
  }

  /// Returns the items in one of these languages, in the order of the languages. The region of a language is
  /// ignored. Items without a language come last.
  public static func metadataItems(
    from metadataItems: [AVMetadataItem],
    filteredAndSortedAccordingToPreferredLanguages preferredLanguages: [String]
  ) -> [AVMetadataItem] {
    func language(_ tag: String) -> Substring { tag.lowercased().prefix { $0 != "-" && $0 != "_" } }
    var languages: [Substring] = []
    for tag in preferredLanguages where !languages.contains(language(tag)) { languages.append(language(tag)) }
    let chosen = languages.flatMap { preferred in
      metadataItems.filter { $0.extendedLanguageTag.map(language) == preferred }
    }
    return chosen + metadataItems.filter { $0.extendedLanguageTag == nil }
  }

  /// Returns the identifier of a key in a key space; nil if the key is not a string or an `AVMetadataKey`.
  public static func identifier(forKey key: Any, keySpace: AVMetadataKeySpace) -> AVMetadataIdentifier? {
    guard let name = key as? String ?? (key as? AVMetadataKey)?.rawValue else { return nil }
    return AVMetadataIdentifier(rawValue: "\(keySpace == .id3 ? "id3" : keySpace.rawValue)/\(name)")
  }

  /// Returns the key of an identifier; nil if the identifier contains no key space.
  public static func key(forIdentifier identifier: AVMetadataIdentifier) -> Any? { parts(identifier)?.key }

  /// Returns the key space of an identifier; nil if the identifier contains none.
  public static func keySpace(forIdentifier identifier: AVMetadataIdentifier) -> AVMetadataKeySpace? {
    parts(identifier)?.keySpace
  }

  private static func parts(
    _ identifier: AVMetadataIdentifier?
  ) -> (keySpace: AVMetadataKeySpace, key: String)? {
    guard
      let parts = identifier?.rawValue.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false),
      parts.count == 2
    else { return nil }
    return (parts[0] == "id3" ? .id3 : AVMetadataKeySpace(String(parts[0])), String(parts[1]))
  }

  private static func date(_ text: String) -> Date? {
    let fields = text.split(omittingEmptySubsequences: false) { "-T: ".contains($0) }
    let numbers = fields.map { $0.allSatisfy(\.isNumber) ? Int($0) : nil }
    guard fields.first?.count == 4, numbers.count <= 6, !numbers.contains(nil) else { return nil }
    let all = numbers.compactMap(\.self) + [0, 1, 1, 0, 0, 0].dropFirst(numbers.count)
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let components = DateComponents(
      calendar: calendar, year: all[0], month: all[1], day: all[2], hour: all[3], minute: all[4],
      second: all[5])
    return components.isValidDate ? components.date : nil
  }
}

/// A mutable metadata item.
open class AVMutableMetadataItem: AVMetadataItem, @unchecked Sendable {
  // Unchecked for the same reason as the superclass.

  /// The identifier, which combines key space and key; nil if unset.
  open override var identifier: AVMetadataIdentifier? {
    get { super.identifier }
    set { content.withLock { $0.identifier = newValue } }
  }

  /// The type of the value, by Apple's names.
  open override var dataType: String? {
    get { super.dataType }
    set { content.withLock { $0.dataType = newValue } }
  }

  /// The language by BCP 47; nil if unknown.
  open override var extendedLanguageTag: String? {
    get { super.extendedLanguageTag }
    set { content.withLock { $0.languageTag = newValue } }
  }

  /// The time from which the item applies; invalid for the whole asset.
  open override var time: CMTime {
    get { super.time }
    set { content.withLock { $0.time = newValue } }
  }

  /// The duration for which the item applies; invalid for the whole asset.
  open override var duration: CMTime {
    get { super.duration }
    set { content.withLock { $0.duration = newValue } }
  }

  /// The value: text, number, date or bytes, of Swift's types or Foundation's. Other values become nil.
  open override var value: Any? {
    get { super.value }
    set {
      let new: Content.Value? =
        switch newValue {
        case let text as String: .text(text)
        case let text as NSString: .text("\(text)")
        case let number as NSNumber: .number(number.doubleValue)
        case let number as any BinaryInteger: .number(Double(number))
        case let number as any BinaryFloatingPoint: .number(Double(number))
        case let date as Date: .date(date)
        case let date as NSDate:
          .date(Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate))
        case let data as Data: .data(data)
        case let data as NSData: .data(Data(referencing: data))
        default: nil
        }
      content.withLock { $0.value = new }
    }
  }

  /// Returns an immutable item with the same content.
  open override func copy(with zone: NSZone? = nil) -> Any { AVMetadataItem(content.withLock { $0 }) }
}

extension AVPartialAsyncProperty where Root: AVMetadataItem {
  /// The value of the item.
  public static var value: AVAsyncProperty<Root, Any?> { .init(known: \.value) }
  /// The value as text; nil for bytes and dates.
  public static var stringValue: AVAsyncProperty<Root, String?> { .init(known: \.stringValue) }
  /// The value as a number; nil if it is not a number.
  public static var numberValue: AVAsyncProperty<Root, NSNumber?> { .init(known: \.numberValue) }
  /// The value as a date; nil if it is not a date.
  public static var dateValue: AVAsyncProperty<Root, Date?> { .init(known: \.dateValue) }
  /// The value as bytes; nil for numbers and dates.
  public static var dataValue: AVAsyncProperty<Root, Data?> { .init(known: \.dataValue) }
  /// The additional attributes of the item.
  public static var extraAttributes: AVAsyncProperty<Root, [AVMetadataExtraAttributeKey: Any]?> {
    AVAsyncProperty(known: \.extraAttributes)
  }
}

/// A group of related metadata items.
open class AVMetadataGroup: NSObject, @unchecked Sendable {
  // Unchecked because the class is open; the object is immutable.

  /// The items of the group.
  public let items: [AVMetadataItem]

  init(_ items: [AVMetadataItem]) {
    self.items = items
    super.init()
  }
}

/// A group of metadata that apply to a part of an asset, such as a chapter's title. Immutable; any thread.
open class AVTimedMetadataGroup: AVMetadataGroup, @unchecked Sendable {
  // Unchecked for the same reason as the superclass.

  /// The part of the asset to which the items apply.
  public let timeRange: CMTimeRange

  /// Creates a group of items that apply to `timeRange`.
  public init(items: [AVMetadataItem], timeRange: CMTimeRange) {
    self.timeRange = timeRange
    super.init(items)
  }
}
