import Glibc

/// Standard input, output and error, whether or not the caller has left them open.
enum StandardDescriptors {
  /// Puts something that can neither be read nor written in the place of each of `descriptors` that is closed. Else the
  /// next file that is opened has its number, and a line for a person lands in the WAV file or in the server's socket.
  /// To be called before anything is opened.
  static func reserve(_ descriptors: ClosedRange<Int32> = STDIN_FILENO...STDERR_FILENO) {
    for descriptor in descriptors where fcntl(descriptor, F_GETFD) < 0 {
      // The wrong way round, so that using it is the same error as before.
      let nothing = open("/dev/null", (descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC)
      guard nothing >= 0, nothing != descriptor else { continue }
      dup2(nothing, descriptor)
      close(nothing)
    }
  }
}
