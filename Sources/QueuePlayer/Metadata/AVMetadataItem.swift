public import Foundation
public import MediaTime
import Synchronization

/// A piece of metadata: a value, with a name in a key space.
///
/// Items of an asset are complete when they are given out and do not change; loading their values reads nothing. Any
/// thread; nothing blocks.
open class AVMetadataItem: NSObject, NSCopying, NSMutableCopying, AVAsynchronousKeyValueLoading,
  @unchecked Sendable
{
  // Unchecked because NSObject is not Sendable; all state is in a Mutex.

  /// The content of an item.
  struct Content: Sendable {
    /// A value.
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
    /// Whether it is the picture of the front.
    var isFrontCover = false
    var time = CMTime.invalid
    var duration = CMTime.invalid
  }

  let content: Mutex<Content>

  /// An item without any content.
  public override init() {
    content = Mutex(Content())
    super.init()
  }

  init(_ content: Content) {
    self.content = Mutex(content)
    super.init()
  }

  // MARK: Names

  /// Key space and key in one; nil if there are none.
  open var identifier: AVMetadataIdentifier? { content.withLock { $0.identifier } }

  /// The key in its key space: a string, such as a frame's name.
  open var key: Any? { Self.parts(identifier)?.key }

  /// The key space.
  open var keySpace: AVMetadataKeySpace? { Self.parts(identifier)?.keySpace }

  /// The common key with the same meaning; nil if there is none.
  open var commonKey: AVMetadataKey? { content.withLock { $0.commonKey } }

  /// What kind of value it is, by Apple's names, for example `com.apple.metadata.datatype.UTF-8`.
  open var dataType: String? { content.withLock { $0.dataType } }

  /// The language, by BCP 47; nil if it is not known.
  open var extendedLanguageTag: String? { content.withLock { $0.languageTag } }

  /// The language as a locale; nil if it is not known.
  open var locale: Locale? { extendedLanguageTag.map { Locale(identifier: $0) } }

  /// When the item begins to hold; invalid if it holds for the whole asset.
  open var time: CMTime { content.withLock { $0.time } }

  /// For how long it holds; invalid if it holds for the whole asset.
  open var duration: CMTime { content.withLock { $0.duration } }

  /// What it says beside its value: its description, by the key `info`.
  open var extraAttributes: [AVMetadataExtraAttributeKey: Any]? {
    content.withLock { $0.info }.map { [.info: $0] }
  }

  // MARK: Values

  /// The value: `String`, `NSNumber`, `Date` or `Data`. Apple's type is `(any NSCopying & NSObjectProtocol)?`, which
  /// on Linux could not be cast to these.
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

  /// The value as a number: that of a text that is nothing else. Nil for others.
  open var numberValue: NSNumber? {
    switch content.withLock({ $0.value }) {
    case .number(let number): NSNumber(value: number)
    case .text(let text): Int(text).map { NSNumber(value: $0) } ?? Double(text).map { NSNumber(value: $0) }
    case .data, .date, nil: nil
    }
  }

  /// The value as a date: that of a text of the form `2004`, `2004-05-06` or `2004-05-06T07:08:09`, in UTC, or the
  /// beginning of one. Nil for others.
  open var dateValue: Date? {
    switch content.withLock({ $0.value }) {
    case .date(let date): date
    case .text(let text): Self.date(text)
    case .data, .number, nil: nil
    }
  }

  /// The value as bytes: a picture's file, a text in UTF-8. Nil for numbers and dates.
  open var dataValue: Data? {
    switch content.withLock({ $0.value }) {
    case .data(let data): data
    case .text(let text): Data(text.utf8)
    case .number, .date, nil: nil
    }
  }

  // MARK: Loading

  /// Always `loaded`.
  open func statusOfValue(forKey key: String, error outError: NSErrorPointer) -> AVKeyValueStatus {
    .loaded
  }

  /// Calls `handler` before the return.
  @preconcurrency
  open func loadValuesAsynchronously(
    forKeys keys: [String], completionHandler handler: (@Sendable () -> Void)? = nil
  ) { handler?() }

  // MARK: Copies

  /// This object, since an item does not change; of an `AVMutableMetadataItem` an item that does not.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// An `AVMutableMetadataItem` with the same content.
  open func mutableCopy(with zone: NSZone? = nil) -> Any {
    AVMutableMetadataItem(content.withLock { $0 })
  }

  // MARK: Choosing

  /// The items with this identifier. A common identifier also finds the items with its common key.
  public static func metadataItems(
    from metadataItems: [AVMetadataItem], filteredByIdentifier identifier: AVMetadataIdentifier
  ) -> [AVMetadataItem] {
    metadataItems.filter { item in
      item.identifier == identifier
        || item.commonKey.map { self.identifier(forKey: $0.rawValue, keySpace: .common) } == identifier
    }
  }

  /// The items with this key, which is a string or an `AVMetadataKey`, in this key space; nil stands for any. In the key space
  /// `common` these are the items with this common key.
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

  /// The items in one of these languages, in the order of the languages. Those without a language come last.
  public static func metadataItems(
    from metadataItems: [AVMetadataItem],
    filteredAndSortedAccordingToPreferredLanguages preferredLanguages: [String]
  ) -> [AVMetadataItem] {
    func language(_ tag: String) -> Substring { tag.lowercased().prefix { $0 != "-" && $0 != "_" } }
    let chosen = preferredLanguages.flatMap { preferred in
      metadataItems.filter { $0.extendedLanguageTag.map(language) == language(preferred) }
    }
    return chosen + metadataItems.filter { $0.extendedLanguageTag == nil }
  }

  /// The identifier of a key in a key space; nil if the key is no string.
  public static func identifier(forKey key: Any, keySpace: AVMetadataKeySpace) -> AVMetadataIdentifier? {
    guard let name = key as? String ?? (key as? AVMetadataKey)?.rawValue else { return nil }
    return AVMetadataIdentifier(rawValue: "\(keySpace == .id3 ? "id3" : keySpace.rawValue)/\(name)")
  }

  /// The key of an identifier.
  public static func key(forIdentifier identifier: AVMetadataIdentifier) -> Any? { parts(identifier)?.key }

  /// The key space of an identifier.
  public static func keySpace(forIdentifier identifier: AVMetadataIdentifier) -> AVMetadataKeySpace? {
    parts(identifier)?.keySpace
  }

  private static func parts(
    _ identifier: AVMetadataIdentifier?
  ) -> (keySpace: AVMetadataKeySpace, key: String)? {
    guard let text = identifier?.rawValue, let slash = text.firstIndex(of: "/") else { return nil }
    let space = text[..<slash]
    return (
      space == "id3" ? .id3 : AVMetadataKeySpace(rawValue: String(space)),
      String(text[text.index(after: slash)...])
    )
  }

  private static func date(_ text: String) -> Date? {
    let fields = text.split(omittingEmptySubsequences: false) { "-T: ".contains($0) }
    let numbers = fields.map { $0.allSatisfy(\.isNumber) ? Int($0) : nil }
    guard fields.first?.count == 4, (1...6).contains(numbers.count), !numbers.contains(nil) else {
      return nil
    }
    func number(_ index: Int, _ missing: Int) -> Int {
      index < numbers.count ? numbers[index] ?? missing : missing
    }
    var calendar = Calendar(identifier: .gregorian)
    guard let utc = TimeZone(secondsFromGMT: 0) else { return nil }
    calendar.timeZone = utc
    let components = DateComponents(
      calendar: calendar, year: number(0, 0), month: number(1, 1), day: number(2, 1), hour: number(3, 0),
      minute: number(4, 0), second: number(5, 0))
    return components.isValidDate ? components.date : nil
  }
}

/// A metadata item that can be changed.
open class AVMutableMetadataItem: AVMetadataItem, @unchecked Sendable {
  // Unchecked as its superclass.

  /// Key space and key in one.
  open override var identifier: AVMetadataIdentifier? {
    get { super.identifier }
    set { content.withLock { $0.identifier = newValue } }
  }

  /// What kind of value it is.
  open override var dataType: String? {
    get { super.dataType }
    set { content.withLock { $0.dataType = newValue } }
  }

  /// The language, by BCP 47.
  open override var extendedLanguageTag: String? {
    get { super.extendedLanguageTag }
    set { content.withLock { $0.languageTag = newValue } }
  }

  /// When the item begins to hold.
  open override var time: CMTime {
    get { super.time }
    set { content.withLock { $0.time = newValue } }
  }

  /// For how long it holds.
  open override var duration: CMTime {
    get { super.duration }
    set { content.withLock { $0.duration = newValue } }
  }

  /// The value: text, a number, a date or bytes, of Swift's types or Foundation's; others count as none.
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

  /// An item with the same content that does not change.
  open override func copy(with zone: NSZone? = nil) -> Any { AVMetadataItem(content.withLock { $0 }) }
}

extension AVPartialAsyncProperty where Root: AVMetadataItem {
  private static func known<Value>(
    _ value: @escaping @Sendable (Root) -> Value
  ) -> AVAsyncProperty<Root, Value> {
    AVAsyncProperty(status: { .loaded(value($0)) })
  }

  /// The value.
  public static var value: AVAsyncProperty<Root, Any?> { known { $0.value } }
  /// The value as text.
  public static var stringValue: AVAsyncProperty<Root, String?> { known { $0.stringValue } }
  /// The value as a number.
  public static var numberValue: AVAsyncProperty<Root, NSNumber?> { known { $0.numberValue } }
  /// The value as a date.
  public static var dateValue: AVAsyncProperty<Root, Date?> { known { $0.dateValue } }
  /// The value as bytes.
  public static var dataValue: AVAsyncProperty<Root, Data?> { known { $0.dataValue } }
  /// What it says beside its value.
  public static var extraAttributes: AVAsyncProperty<Root, [AVMetadataExtraAttributeKey: Any]?> {
    known { $0.extraAttributes }
  }
}
