import CThreads
import Glibc

/// The paths of a download's files.
package struct DownloadPlace: Hashable, Sendable {
  /// The path of the complete file.
  package let target: String

  package init(_ target: String) { self.target = target }

  /// The path of the partial file.
  package var part: String { target + ".part" }
  /// The path of the record of the partial file.
  package var record: String { part + ".record" }
  /// The path of the next record before it replaces the current one.
  var newRecord: String { record + ".new" }

  /// - Throws: `exists` if a file of any kind has the target's name.
  func expectNoTarget() throws(FileFailure) {
    var status = stat()
    if lstat(target, &status) == 0 { throw .exists(target) }
  }

  /// Renames the partial file to the target.
  func givePartItsName(replacing: Bool) throws(FileFailure) {
    // RENAME_NOREPLACE: never overwrites a file that was created after the check.
    if !replacing, continuo_renameat2(AT_FDCWD, part, AT_FDCWD, target, 1) == 0 { return }
    // Some file systems do not support RENAME_NOREPLACE.
    if !replacing, errno != EINVAL, errno != ENOSYS {
      throw errno == EEXIST ? .exists(target) : Self.failure("write", target)
    }
    if !replacing { try expectNoTarget() }
    guard rename(part, target) == 0 else { throw Self.failure("write", target) }
  }

  /// The failure for the current `errno`.
  static func failure(_ doing: String, _ path: String) -> FileFailure {
    .system(doing: doing, path, code: errno)
  }
}
