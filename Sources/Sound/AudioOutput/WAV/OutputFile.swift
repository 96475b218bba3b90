import AudioCore
import Glibc
import SystemSupport

/// A file descriptor for sample output. Contains all system calls of this module.
struct OutputFile: ~Copyable {
  private let descriptor: Int32
  private let name: String
  /// Whether the descriptor is a regular file opened by path, so that its beginning can be rewritten.
  let isRewritable: Bool

  deinit { close(descriptor) }

  /// Opens or creates `path`, and truncates it; "-" is the standard output, which must not be a terminal. Returns nil
  /// for a named pipe without a reader, and does not wait for one.
  static func open(path: [UInt8]) throws(OutputError) -> OutputFile? {
    let name = String(decoding: path, as: UTF8.self)
    if name == "-" { return try openStandardOutput() }
    // Without O_NONBLOCK, opening a pipe and each write to it would block until its reader is ready.
    let descriptor = Glibc.open(
      (path + [0]).map { CChar(bitPattern: $0) }, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_CLOEXEC, 0o666
    )
    guard descriptor >= 0 else {
      if errno == ENXIO { return nil }
      throw failure("open", name)
    }
    return OutputFile(descriptor: descriptor, name: name, isRewritable: kind(of: descriptor) == S_IFREG)
  }

  private static func openStandardOutput() throws(OutputError) -> OutputFile {
    let name = "standard output"
    if isatty(STDOUT_FILENO) == 1 {
      throw OutputError("cannot write sound to a terminal", isRecoverable: false)
    }
    // A pipe is reopened, because O_NONBLOCK on the descriptor itself would affect all processes that share
    // it.
    let descriptor =
      kind(of: STDOUT_FILENO) == S_IFIFO
      ? Glibc.open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_CLOEXEC)
      : fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
    guard descriptor >= 0 else { throw failure("open", name) }
    return OutputFile(descriptor: descriptor, name: name, isRewritable: false)
  }

  private static func kind(of descriptor: Int32) -> mode_t {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : 0
  }

  /// Writes at the end. Returns the number of bytes written: fewer than given, or 0, if a pipe is full. After an
  /// error returns the number of bytes written before it, if any; the next call throws the error.
  func write(_ bytes: UnsafeRawBufferPointer) throws(OutputError) -> Int {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = isRewritable ? Glibc.write(descriptor, rest.baseAddress, rest.count) : writeToPipe(rest)
      if count >= 0 {
        done += count
      } else if errno == EAGAIN || errno != EINTR && done > 0 {
        return done
      } else if errno != EINTR {
        throw Self.failure("write", name)
      }
    }
    return done
  }

  /// Removes the last `count` bytes.
  func removeLast(_ count: UInt64) throws(OutputError) {
    let end = lseek(descriptor, -off_t(count), SEEK_END)
    if end < 0 || ftruncate(descriptor, end) < 0 { throw Self.failure("shorten", name) }
  }

  func rewrite(_ bytes: [UInt8]) throws(OutputError) {
    guard isRewritable else { return }
    // The few bytes exist already, so they are overwritten completely or not at all.
    if pwrite(descriptor, bytes, bytes.count, 0) < 0 { throw Self.failure("write", name) }
  }

  /// Writes with SIGPIPE blocked and returns the result of `write`. If the pipe has no reader, that signal
  /// would terminate most programs.
  private func writeToPipe(_ bytes: UnsafeRawBufferPointer) -> Int {
    var pipeSignal = sigset_t()
    var pending = sigset_t()
    var previous = sigset_t()
    sigemptyset(&pipeSignal)
    sigaddset(&pipeSignal, SIGPIPE)
    sigpending(&pending)
    pthread_sigmask(SIG_BLOCK, &pipeSignal, &previous)
    let count = Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    let code = errno
    if count < 0, code == EPIPE, sigismember(&pending, SIGPIPE) == 0 {
      var none = timespec()
      sigtimedwait(&pipeSignal, nil, &none)
    }
    pthread_sigmask(SIG_SETMASK, &previous, nil)
    errno = code
    return count
  }

  private static func failure(_ call: String, _ name: String) -> OutputError {
    OutputError("cannot \(call) \(name): \(SystemError.message(errno))", isRecoverable: false)
  }
}
