import Clocks
import Foundation
import Synchronization
import SystemSupport
import TestSupport
import Testing

@testable import ContinuoNetworking
@testable import TransferService

/// Records on disks that take less than they are given, are full, or fail, in virtual time.
@Suite("Records on the disk") struct TransferRecordWriterTests {
  /// A disk that writes at most so many bytes at once, and fails as often as it is told to.
  private final class Disk: Sendable {
    private struct State {
      var isFull = false
      var interruptions = 0
      var folderError: Int32?
      var synchronized = 0
    }

    private let state = Mutex(State())

    func setFull(_ isFull: Bool) { state.withLock { $0.isFull = isFull } }
    func interrupt(_ times: Int) { state.withLock { $0.interruptions = times } }
    func failFolders(_ error: Int32?) { state.withLock { $0.folderError = error } }
    var synchronized: Int { state.withLock { $0.synchronized } }

    var calls: FileReplacement.Calls {
      var calls = FileReplacement.Calls()
      calls.write = { [self] descriptor, bytes in
        let error: Int32? = state.withLock { state in
          if state.interruptions > 0 {
            state.interruptions -= 1
            return EINTR
          }
          return state.isFull ? ENOSPC : nil
        }
        if let error {
          errno = error
          return -1
        }
        return write(descriptor, bytes.baseAddress, min(3, bytes.count))
      }
      calls.synchronize = { [self] descriptor in
        var status = stat()
        fstat(descriptor, &status)
        let error = state.withLock { state in
          state.synchronized += 1
          return status.st_mode & S_IFMT == S_IFDIR ? state.folderError : nil
        }
        guard let error else { return 0 }
        errno = error
        return -1
      }
      return calls
    }
  }

  private let key = TransferKey(session: "s", task: 1)

  @Test("a file is written whole, however little the disk takes at once, and made safe with its folder")
  func whole() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a")
    try folder.write("a", "old")
    let disk = Disk()
    disk.interrupt(2)
    #expect(TransferRecordWriter.replace(path, Data("a longer text".utf8), by: disk.calls) == nil)
    #expect(FileManager.default.contents(atPath: path) == Data("a longer text".utf8))
    #expect(disk.synchronized == 2)
  }

  @Test("a full disk, or something in the way, is an error and leaves the old file")
  func failing() throws {
    let folder = try TemporaryFolder()
    try folder.write("a", "old")
    let path = folder.file("a")
    let disk = Disk()
    disk.setFull(true)
    #expect(TransferRecordWriter.replace(path, Data("new".utf8), by: disk.calls) == ENOSPC)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a"])
    disk.setFull(false)
    // Of a quota on a network file system, say.
    var calls = disk.calls
    calls.close = { descriptor in
      close(descriptor)
      errno = EDQUOT
      return -1
    }
    #expect(TransferRecordWriter.replace(path, Data("new".utf8), by: calls) == EDQUOT)
    #expect(FileManager.default.contents(atPath: path) == Data("old".utf8))
    disk.failFolders(EIO)
    #expect(TransferRecordWriter.replace(path, Data("newer".utf8), by: disk.calls) == EIO)
    disk.failFolders(EINVAL)
    #expect(TransferRecordWriter.replace(path, Data("newest".utf8), by: disk.calls) == nil)
    try FileManager.default.createDirectory(atPath: "\(path).new", withIntermediateDirectories: false)
    #expect(TransferRecordWriter.replace(path, Data("other".utf8)) == EISDIR)
    #expect(FileManager.default.contents(atPath: path) == Data("newest".utf8))
  }

  @Test("what a full disk does not take is written when there is room, and reported after that, once")
  func fullDisk() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a")
    let clock = VirtualClock()
    let (disk, errands) = (Disk(), DiskErrands("disk of a test", on: clock))
    let writer = TransferRecordWriter(errands, alarms: Alarms(clock: clock), calls: disk.calls)
    let text = Mutex("first")
    let reports = Mutex<[String]>([])
    @Sendable func content() -> (path: String, bytes: Data)? { (path, Data(text.withLock { $0 }.utf8)) }
    disk.setFull(true)
    writer.save(key, then: { reports.withLock { $0.append("first") } }, content)
    clock.advance(bySeconds: 100)
    text.withLock { $0 = "second" }
    writer.save(key, then: { reports.withLock { $0.append("second") } }, content)
    clock.advance(bySeconds: 1000)
    #expect(reports.withLock { $0.isEmpty } && !FileManager.default.fileExists(atPath: path))
    disk.setFull(false)
    clock.advance(bySeconds: 61)
    #expect(reports.withLock { $0 } == ["first", "second"])
    #expect(FileManager.default.contents(atPath: path) == Data("second".utf8))
    let synchronized = disk.synchronized
    clock.advance(bySeconds: 1000)
    #expect(reports.withLock { $0.count } == 2 && disk.synchronized == synchronized)
  }

  @Test("a record that is not needed any more is not written, and nobody waits for it")
  func notNeeded() throws {
    let clock = VirtualClock()
    let (disk, errands) = (Disk(), DiskErrands("disk of a test", on: clock))
    let writer = TransferRecordWriter(errands, alarms: Alarms(clock: clock), calls: disk.calls)
    let path = "/nowhere/a"
    let isNeeded = Mutex(true)
    let wasReported = Mutex(false)
    writer.save(key, then: { wasReported.withLock { $0 = true } }) {
      isNeeded.withLock { $0 } ? (path, Data()) : nil
    }
    clock.advance(bySeconds: 10)
    isNeeded.withLock { $0 = false }
    clock.advance(bySeconds: 100)
    #expect(!wasReported.withLock { $0 } && clock.nextDeadline == nil)
  }

  @Test("closing makes one more attempt")
  func closing() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a")
    let clock = VirtualClock()
    let (disk, errands) = (Disk(), DiskErrands("disk of a test", on: clock))
    let writer = TransferRecordWriter(errands, alarms: Alarms(clock: clock), calls: disk.calls)
    disk.setFull(true)
    writer.save(key) { (path, Data("x".utf8)) }
    clock.advance(bySeconds: 1)
    disk.setFull(false)
    writer.retryAll()
    errands.close()
    #expect(FileManager.default.contents(atPath: path) == Data("x".utf8))
  }

  @Test("an infinite timeout can be recorded, and is read again")
  func infinity() throws {
    let folder = try TemporaryFolder()
    var request = URLRequest(url: try #require(URL(string: "http://files.test/a")))
    request.timeoutInterval = .infinity
    let record = TaskRecord(
      key, .download, request, fields: [:], timeout: try #require(request.ownTimeout))
    let bytes = try #require(record.bytes)
    #expect(TransferRecordWriter.replace("\(folder.path)/\(record.name).task", bytes) == nil)
    #expect(TaskRecord.read(in: folder.path).map(\.timeout) == [.infinity])
  }
}
