import Glibc
import SystemSupport
import Transfer

/// The partial file of a download, locked by one process at a time, and its record.
///
/// All calls may block on the disk.
struct PartFile: ~Copyable {
  private let place: DownloadPlace
  private let file: OpenFile
  /// The number of bytes in the file.
  private(set) var length: Int64
  /// The last saved record.
  private(set) var record: DownloadRecord

  private init(_ place: DownloadPlace, _ file: consuming OpenFile, _ record: DownloadRecord) {
    self.place = place
    self.file = file
    self.record = record
    length = record.length
  }

  /// Opens the partial file and reads its record; creates an empty file if none exists.
  static func open(_ place: DownloadPlace, of url: WebURL) throws(FileFailure) -> PartFile {
    let file = try openAlone(place)
    let size = Int64(try file.status().st_size)
    var record = DownloadRecord(url: url)
    if let known = try readRecord(place) {
      guard known.url == url || known.length == 0 else {
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

  /// Opens and locks the partial file. Retries if the previous owner has renamed it to the target in between.
  private static func openAlone(_ place: DownloadPlace) throws(FileFailure) -> OpenFile {
    while true {
      let file = try OpenFile(place.part, O_RDWR | O_CREAT | O_NONBLOCK, mode: 0o666)
      guard flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 else {
        throw errno == EWOULDBLOCK ? .busy(place.target) : DownloadPlace.failure("lock", place.part)
      }
      let opened = try file.status()
      guard opened.st_mode & S_IFMT == S_IFREG else { throw .foreign(place.part, url: nil) }
      var named = stat()
      if lstat(place.part, &named) == 0, named.st_ino == opened.st_ino, named.st_dev == opened.st_dev {
        return file
      }
    }
  }

  private static func readRecord(_ place: DownloadPlace) throws(FileFailure) -> DownloadRecord? {
    let file: OpenFile
    do throws(FileFailure) {
      file = try OpenFile(place.record, O_RDONLY | O_NONBLOCK)
    } catch {
      if case .system(_, _, ENOENT) = error { return nil }
      throw error
    }
    return DownloadRecord(bytes: WholeTransfer.read(NetworkLimits.record, from: file.descriptor, at: 0))
  }

  // MARK: Bytes

  /// Writes bytes at the end of the file.
  mutating func write(_ bytes: ArraySlice<UInt8>, at offset: Int64) throws(FileFailure) {
    try file.write(bytes, at: offset)
    length = offset + Int64(bytes.count)
  }

  /// Synchronizes the written bytes, then replaces the record.
  mutating func save(_ record: DownloadRecord) throws(FileFailure) {
    try file.synchronize()
    let place = place
    let error = record.bytes.withUnsafeBytes {
      FileReplacement.write($0, to: place.record, through: place.newRecord, mode: 0o600)
    }
    if let error { throw .system(doing: "write", place.record, code: error) }
    self.record = record
  }

  /// Removes all bytes from the file.
  mutating func discard() throws(FileFailure) {
    try file.truncate(to: 0)
    length = 0
  }

  // MARK: The end

  /// Synchronizes the file, renames it to the target, and deletes the record.
  func finish(replacing: Bool) throws(FileFailure) {
    try file.synchronize(isWhole: true)
    try place.givePartItsName(replacing: replacing)
    FileReplacement.synchronizeFolder(of: place.target)
    unlink(place.record)
  }

  /// Deletes the partial file and its record.
  func remove() {
    // The order matters: a part without a record counts as another program's file.
    unlink(place.part)
    unlink(place.record)
    unlink(place.newRecord)
  }

  /// The bytes as transfer machines read them.
  var bytes: PartBytes { PartBytes(descriptor: file.descriptor, length: length) }
}

/// The bytes of an open partial file.
struct PartBytes: StoredBytes {
  let descriptor: Int32
  let length: Int64

  var intervals: IntervalSet {
    var intervals = IntervalSet()
    intervals.insert(0..<length)
    return intervals
  }

  func holds(_ bytes: ArraySlice<UInt8>, at offset: Int64) -> Bool {
    WholeTransfer.read(bytes.count, from: descriptor, at: offset)[...] == bytes
  }
}
