import CThreads
import Glibc

/// Where the files of a download are.
package struct DownloadPlace: Hashable, Sendable {
  /// The file when it is whole.
  package let target: String

  /// The place of a file of that name.
  package init(_ target: String) { self.target = target }

  /// The bytes so far.
  package var part: String { target + ".part" }
  /// What is known of them.
  package var record: String { part + ".record" }
  /// The record that takes its place.
  var newRecord: String { record + ".new" }

  /// The folder that they are in, also where a symbolic link leads to it.
  var folder: String {
    target.lastIndex(of: "/").map { target[...$0] + "." } ?? "."
  }

  /// Fails if anything has the target's name.
  func expectNoTarget() throws(FileFailure) {
    var status = stat()
    if lstat(target, &status) == 0 { throw .exists(target) }
  }

  /// Gives the part the target's name.
  func givePartItsName(replacing: Bool) throws(FileFailure) {
    // RENAME_NOREPLACE: never in the place of what came between a look and this.
    if !replacing, continuo_renameat2(AT_FDCWD, part, AT_FDCWD, target, 1) == 0 { return }
    // Not every file system can do that.
    if !replacing, errno != EINVAL, errno != ENOSYS {
      throw errno == EEXIST ? .exists(target) : Self.failure("write", target)
    }
    if !replacing { try expectNoTarget() }
    guard rename(part, target) == 0 else { throw Self.failure("write", target) }
  }

  /// What the last call of the system said.
  static func failure(_ doing: String, _ path: String) -> FileFailure {
    .system(doing: doing, path, code: errno)
  }
}
