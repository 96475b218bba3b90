import CThreads
package import Glibc
import SystemSupport
package import Transfer

package struct DownloadPlace: Hashable, Sendable {
  private static let partSuffix = ".part"
  private static let recordSuffix = partSuffix + ".record"

  /// The path of the complete file. The bytes need not be UTF-8.
  private let bytes: [UInt8]

  package init(_ target: String) { self.init(Array(target.utf8)) }

  package init(_ target: [UInt8]) { bytes = target }

  /// The path of the complete file, for messages.
  package var target: String { String(decoding: bytes, as: UTF8.self) }
  package var part: String { target + Self.partSuffix }
  package var record: String { target + Self.recordSuffix }

  // The same paths, for system calls.
  fileprivate var targetName: [CChar] { name("") }
  fileprivate var partName: [CChar] { name(Self.partSuffix) }
  fileprivate var recordName: [CChar] { name(Self.recordSuffix) }
  fileprivate var newRecordName: [CChar] { name(Self.recordSuffix + ".new") }

  private func name(_ suffix: String) -> [CChar] {
    (bytes + suffix.utf8 + [0]).map { CChar(bitPattern: $0) }
  }

  /// - Throws: `exists` if a file of any kind has the target's name.
  func expectNoTarget() throws(FileFailure) {
    var status = stat()
    if lstat(targetName, &status) == 0 { throw .exists(target) }
  }

  fileprivate func givePartItsName(replacing: Bool) throws(FileFailure) {
    // 1: RENAME_NOREPLACE, which never overwrites a file that was created after the check.
    if !replacing, continuo_renameat2(AT_FDCWD, partName, AT_FDCWD, targetName, 1) == 0 { return }
    // Some file systems do not support RENAME_NOREPLACE.
    if !replacing, errno != EINVAL, errno != ENOSYS {
      throw errno == EEXIST ? .exists(target) : .current("write", target)
    }
    if !replacing { try expectNoTarget() }
    guard rename(partName, targetName) == 0 else { throw .current("write", target) }
  }
}

/// An open file, closed with its last reference. Only its methods use the descriptor. Calls may block.
package final class OpenFile: Sendable {
  package let path: String
  private let descriptor: Int32

  /// Opens `path` without following a symbolic link in its last component.
  package convenience init(_ path: String, _ flags: Int32, mode: mode_t = 0) throws(FileFailure) {
    try self.init(path, name: Array(path.utf8CString), flags, mode: mode)
  }

  /// Opens the file `name`, which messages call `path`.
  fileprivate init(_ path: String, name: [CChar], _ flags: Int32, mode: mode_t = 0) throws(FileFailure) {
    self.path = path
    descriptor = open(name, flags | O_CLOEXEC | O_NOFOLLOW, mode)
    guard descriptor >= 0 else { throw .current(flags & O_CREAT == 0 ? "read" : "write", path) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  package func status() throws(FileFailure) -> stat {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .current("read", path) }
    return status
  }

  package func write(_ bytes: ArraySlice<UInt8>, at offset: Int64) throws(FileFailure) {
    if let error = WholeTransfer.write(bytes, to: descriptor, at: offset) {
      throw .system(doing: "write", path, code: error)
    }
  }

  /// Returns the first bytes, at most `count`.
  fileprivate func read(_ count: Int) -> [UInt8] { WholeTransfer.read(count, from: descriptor, at: 0) }

  /// Returns whether the bytes at `offset` equal `bytes`. Unreadable bytes never do.
  package func holds(_ bytes: ArraySlice<UInt8>, at offset: Int64) -> Bool {
    bytes.isEqual(to: WholeTransfer.read(bytes.count, from: descriptor, at: offset))
  }

  package func truncate(to length: Int64) throws(FileFailure) {
    guard ftruncate(descriptor, off_t(length)) == 0 else { throw .current("write", path) }
  }

  /// Locks the file. Returns false if it is already locked, in any process.
  fileprivate func lock() throws(FileFailure) -> Bool {
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
    guard errno == EWOULDBLOCK else { throw .current("lock", path) }
    return false
  }

  /// Waits until the disk has the bytes and, if `isWhole` is true, all metadata of the file.
  fileprivate func synchronize(isWhole: Bool = false) throws(FileFailure) {
    guard (isWhole ? fsync(descriptor) : fdatasync(descriptor)) == 0 else { throw .current("write", path) }
  }
}

/// The partial file of a download, locked by one download at a time, and its record. All calls may block.
struct PartFile: ~Copyable {
  private let place: DownloadPlace
  private let file: OpenFile
  private var length: Int64
  private(set) var record: DownloadRecord

  private init(_ place: DownloadPlace, _ file: OpenFile, _ record: DownloadRecord) {
    self.place = place
    self.file = file
    self.record = record
    length = record.length
  }

  /// Opens the partial file, reads its record, and returns both. Creates an empty file if none exists.
  /// Truncates the file to the recorded length, and saves the record.
  static func open(_ place: DownloadPlace, of url: WebURL) throws(FileFailure) -> PartFile {
    let file = try openAlone(place)
    let size = Int64(try file.status().st_size)
    var record = DownloadRecord(url: url)
    if let known = try readRecord(place) {
      // The record of a part that was deleted protects nothing.
      guard known.url == url || known.length == 0 || size == 0 else {
        throw .foreign(place.part, url: known.url.textForMessages)
      }
      if known.url == url { record = known }
    } else if size > 0 {
      throw .foreign(place.part, url: nil)
    }
    record.length = min(record.length, size)
    // Bytes after the recorded length may be missing on the disk.
    if size > record.length { try file.truncate(to: record.length) }
    var part = PartFile(place, file, record)
    try part.save(record)
    return part
  }

  /// Opens, locks and returns the partial file. Retries if the previous owner has renamed or removed it
  /// before the lock.
  private static func openAlone(_ place: DownloadPlace) throws(FileFailure) -> OpenFile {
    while true {
      let file = try OpenFile(place.part, name: place.partName, O_RDWR | O_CREAT | O_NONBLOCK, mode: 0o666)
      guard try file.lock() else { throw .busy(place.target) }
      let opened = try file.status()
      guard opened.st_mode & S_IFMT == S_IFREG else { throw .foreign(place.part, url: nil) }
      var named = stat()
      if lstat(place.partName, &named) == 0, named.st_ino == opened.st_ino, named.st_dev == opened.st_dev {
        return file
      }
    }
  }

  private static func readRecord(_ place: DownloadPlace) throws(FileFailure) -> DownloadRecord? {
    do throws(FileFailure) {
      return DownloadRecord(
        bytes: try OpenFile(place.record, name: place.recordName, O_RDONLY | O_NONBLOCK)
          .read(NetworkLimits.record))
    } catch {
      if case .system(_, _, ENOENT) = error { return nil }
      throw error
    }
  }

  mutating func write(_ bytes: ArraySlice<UInt8>, at offset: Int64) throws(FileFailure) {
    try file.write(bytes, at: offset)
    length = offset + Int64(bytes.count)
  }

  /// Synchronizes the written bytes, then replaces the record.
  mutating func save(_ record: DownloadRecord) throws(FileFailure) {
    try file.synchronize()
    let error = record.bytes.withUnsafeBytes {
      FileReplacement.write($0, to: place.recordName, through: place.newRecordName, mode: 0o600)
    }
    if let error { throw .system(doing: "write", place.record, code: error) }
    self.record = record
  }

  mutating func discard() throws(FileFailure) {
    try file.truncate(to: 0)
    length = 0
  }

  /// Waits until the disk has the whole file.
  func synchronize() throws(FileFailure) { try file.synchronize(isWhole: true) }

  /// Renames the synchronized file to the target, and deletes the record.
  func finish(replacing: Bool) throws(FileFailure) {
    try place.givePartItsName(replacing: replacing)
    FileReplacement.synchronizeFolder(of: place.targetName)
    unlink(place.recordName)
  }

  func remove() {
    // The part is removed first, because a part without a record counts as another program's file.
    for path in [place.partName, place.recordName, place.newRecordName] { unlink(path) }
  }

  var bytes: PartBytes { PartBytes(file: file, length: length) }
}

struct PartBytes: StoredBytes {
  let file: OpenFile
  let length: Int64

  var intervals: IntervalSet {
    var intervals = IntervalSet()
    intervals.insert(0..<length)
    return intervals
  }

  func holds(_ bytes: ArraySlice<UInt8>, at offset: Int64) -> Bool { file.holds(bytes, at: offset) }
}

/// The state of an unfinished download, sufficient to resume it later in another process. It has no
/// credentials and no request header fields. The query of its URL may itself be secret.
package struct DownloadRecord: Hashable, Sendable {
  package let url: WebURL
  /// The number of bytes written. Those of a saved record are on the disk and survive a power cut.
  package internal(set) var length: Int64 = 0
  /// The total length in bytes, if the server reported it.
  package internal(set) var total: Int64?
  /// Whether the last successful response was a requested range.
  package internal(set) var hasRanges = false
  /// `ETag`, `Last-Modified` and `Date` of the last response with stored bytes, if present and not encoded.
  package internal(set) var version = HTTPFields()

  package init(url: WebURL) { self.url = url }

  /// Whether another process can fetch just the remaining bytes, from a server that behaves as before.
  package var isResumable: Bool {
    length > 0 && hasRanges && (version["ETag"] != nil || version["Last-Modified"] != nil)
  }

  private static let heading = "continuo download 1"
  private static let fields = ["ETag", "Last-Modified", "Date"]

  /// The record as lines of text, which `init(bytes:)` parses.
  package var bytes: [UInt8] {
    var lines = [Self.heading, "url: \(url.text)", "length: \(length)"]
    if let total { lines.append("total: \(total)") }
    if hasRanges { lines.append("ranges: yes") }
    lines += version.all.map { "\($0.name): \($0.value)" }
    return Array((lines.joined(separator: "\n") + "\nend\n").utf8)
  }

  /// Parses a record; nil if the bytes are not a record, or have the format of a later program version.
  package init?(bytes: [UInt8]) {
    guard bytes.count <= NetworkLimits.record else { return nil }
    var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    guard lines.first == Self.heading, lines.suffix(2) == ["end", ""] else { return nil }
    lines = lines.dropFirst().dropLast(2)
    var values: [String: String] = [:]
    for line in lines {
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      guard values.updateValue(String(value), forKey: String(line[..<colon])) == nil else { return nil }
    }
    guard let text = values["url"], let (url, credentials) = try? WebURL.read(text), credentials == nil,
      let length = values["length"].flatMap(Int64.init), length >= 0
    else { return nil }
    self.url = url
    self.length = length
    if let text = values["total"] {
      guard let total = Int64(text), total >= length else { return nil }
      self.total = total
    }
    hasRanges = values["ranges"] == "yes"
    for name in Self.fields {
      guard let value = values[name] else { continue }
      guard HTTPFields.allows(name, value) else { return nil }
      version.add(name, value)
    }
  }

  /// The validator of the stored bytes.
  var validator: Validator? {
    var head = ResponseHead(status: 200)
    head.fields = version
    return length > 0 ? head.validator : nil
  }

  mutating func take(_ head: ResponseHead) {
    version = HTTPFields()
    guard !head.isEncoded else { return }
    for name in Self.fields {
      // A value that is not valid in a request is useless.
      if let value = head.fields[name], HTTPFields.allows(name, value) { version.add(name, value) }
    }
  }

  /// Returns whether the response to a range request belongs to another version than the stored bytes.
  /// Compares tags and dates, even those too weak for a conditional request.
  func differs(from head: ResponseHead) -> Bool {
    ["ETag", "Last-Modified"].contains { name in
      guard let known = version[name], let other = head.fields[name] else { return false }
      return known != other
    }
  }
}
