internal import Glibc

/// Replaces files atomically: readers find the old or the new contents, and with `isDurable` they do so after
/// a power failure too. All functions block.
package enum FileReplacement {
  /// The system calls that store bytes, with the results and `errno` of the system. Tests replace them.
  package struct Calls: Sendable {
    package var write: @Sendable (_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int = {
      Glibc.write($0, $1.baseAddress, $1.count)
    }
    package var synchronize: @Sendable (_ descriptor: Int32) -> Int32 = { fsync($0) }
    package var close: @Sendable (_ descriptor: Int32) -> Int32 = { Glibc.close($0) }

    package init() {}
  }

  /// Writes `bytes` to the file `new`, and renames it to `path`. Returns nil, or the `errno` of the failure.
  /// After a failure the file at `path` is unchanged, and `new` is removed if this call could open it. If only
  /// the folder could not be synchronized, `path` has the new contents.
  ///
  /// - Parameters:
  ///   - bytes: The new contents.
  ///   - path: The file to replace.
  ///   - new: A path in the same folder. Never followed if it is a link.
  ///   - mode: The permissions if `new` does not exist, reduced by the process's umask.
  ///   - isFree: Whether an existing file `new` is an error (EEXIST). If false, the file there is
  ///     overwritten.
  ///   - isDurable: Whether to return only after the disk has stored the bytes and, if the folder can be
  ///     synchronized, the new name.
  ///   - calls: The system calls.
  package static func write(
    _ bytes: UnsafeRawBufferPointer, to path: UnsafePointer<CChar>, through new: UnsafePointer<CChar>,
    mode: UInt32, isFree: Bool = false, isDurable: Bool = true, by calls: Calls = Calls()
  ) -> Int32? {
    let descriptor = create(new, mode: mode, isFree: isFree)
    guard descriptor >= 0 else { return errno }
    var error = WholeTransfer.write(bytes, to: descriptor) { rest, _ in calls.write(descriptor, rest) }
    if error == nil, isDurable, calls.synchronize(descriptor) != 0 { error = errno }
    // Network file systems and quotas may report a failed write only here.
    if calls.close(descriptor) != 0, error == nil, errno != EINTR { error = errno }
    if error == nil, rename(new, path) != 0 { error = errno }
    if error != nil { unlink(new) } else if isDurable { error = synchronizeFolder(of: path, by: calls) }
    return error
  }

  /// Checks that a file `new`, which must not exist, can be created, and removes it. Returns nil or the `errno`.
  package static func check(_ new: UnsafePointer<CChar>) -> Int32? {
    let descriptor = create(new, mode: 0o600, isFree: true)
    guard descriptor >= 0 else { return errno }
    close(descriptor)
    unlink(new)
    return nil
  }

  private static func create(_ new: UnsafePointer<CChar>, mode: UInt32, isFree: Bool) -> Int32 {
    // O_NONBLOCK keeps `open` from waiting for the reader of a pipe of that name.
    let flags = O_WRONLY | O_CREAT | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC | (isFree ? O_EXCL : O_TRUNC)
    return open(new, flags, mode)
  }

  /// Stores the entries of the file's folder on the disk, because a power cut could otherwise revert a
  /// rename. Returns the `errno` of a failure. Returns nil also without effect, if the folder is not readable
  /// or its file system cannot synchronize folders.
  @discardableResult
  package static func synchronizeFolder(of path: UnsafePointer<CChar>, by calls: Calls = Calls()) -> Int32? {
    let bytes = UnsafeBufferPointer(start: path, count: strlen(path))
    let folder = bytes.lastIndex(of: CChar(UInt8(ascii: "/"))).map { Array(bytes[...$0]) } ?? []
    // The dot is the working directory if `path` has no slash.
    let descriptor = open(folder + [CChar(UInt8(ascii: ".")), 0], O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // If this user may not read the folder, or the file system cannot synchronize folders, the system stores
    // the entries later by itself.
    guard descriptor >= 0 else { return errno == EACCES ? nil : errno }
    defer { close(descriptor) }
    guard calls.synchronize(descriptor) != 0, errno != EINVAL, errno != ENOSYS else { return nil }
    return errno
  }
}
