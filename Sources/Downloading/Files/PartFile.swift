import Glibc
import Transfer

/// The bytes of a download so far, in a file that one process has at a time, and the record beside it.
///
/// All calls may block on the disk.
struct PartFile: ~Copyable {
  private let place: DownloadPlace
  private let file: OpenFile
  /// How many bytes are there.
  private(set) var length: Int64
  /// What is known of them.
  private(set) var record: DownloadRecord

  private init(_ place: DownloadPlace, _ file: consuming OpenFile, _ record: DownloadRecord) {
    self.place = place
    self.file = file
    self.record = record
    length = record.length
  }

  /// Opens the part and reads its record; where there is none, makes an empty one.
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
    // Of what is behind nobody knows if the disk has it.
    if size > record.length { try file.truncate(to: record.length) }
    var part = PartFile(place, file, record)
    try part.save(record)
    return part
  }

  /// Opens the part and locks it. A process that had it may have finished, and given it its name, in between.
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
    return DownloadRecord(bytes: OpenFile.read(NetworkLimits.record, from: file.descriptor, at: 0))
  }

  // MARK: Bytes

  /// Writes bytes behind those that are there.
  mutating func write(_ bytes: ArraySlice<UInt8>, at offset: Int64) throws(FileFailure) {
    try file.write(bytes, at: offset)
    length = offset + Int64(bytes.count)
  }

  /// Makes durable what is written, and puts `record` in the place of the one that was there.
  mutating func save(_ record: DownloadRecord) throws(FileFailure) {
    try file.synchronize()
    let bytes = record.bytes
    do {
      let new = try OpenFile(place.newRecord, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK, mode: 0o600)
      try new.write(bytes[...], at: 0)
      try new.synchronize()
    }
    guard rename(place.newRecord, place.record) == 0 else {
      throw DownloadPlace.failure("write", place.record)
    }
    synchronizeFolder()
    self.record = record
  }

  /// Takes all bytes out.
  mutating func discard() throws(FileFailure) {
    try file.truncate(to: 0)
    length = 0
  }

  // MARK: The end

  /// Makes it durable and gives it its name. The record is not needed any more.
  func finish(replacing: Bool) throws(FileFailure) {
    try file.synchronize(isWhole: true)
    try place.givePartItsName(replacing: replacing)
    synchronizeFolder()
    unlink(place.record)
  }

  /// Takes the part and its record away.
  func remove() {
    // In this order: a part without a record would be somebody else's.
    unlink(place.part)
    unlink(place.record)
    unlink(place.newRecord)
  }

  /// Not every system can do that with a folder, and not everybody may read it: then its entries are safe a little later.
  private func synchronizeFolder() { try? OpenFile(place.folder, O_RDONLY | O_DIRECTORY).synchronize() }

  /// The bytes as machines see them.
  var bytes: PartBytes { PartBytes(descriptor: file.descriptor, length: length) }
}

/// The bytes of a part that is open.
struct PartBytes: StoredBytes {
  let descriptor: Int32
  let length: Int64

  var intervals: IntervalSet {
    var intervals = IntervalSet()
    intervals.insert(0..<length)
    return intervals
  }

  func holds(_ bytes: ArraySlice<UInt8>, at offset: Int64) -> Bool {
    OpenFile.read(bytes.count, from: descriptor, at: offset)[...] == bytes
  }
}
