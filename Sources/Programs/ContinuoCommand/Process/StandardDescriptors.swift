import Glibc

/// Standard input, output and error, whether or not the caller left them open.
enum StandardDescriptors {
  /// Opens each closed one of `descriptors` so that it can neither be read nor written. Otherwise the next
  /// file would get its number, and a message could land in the WAV file or in the server's socket. Call
  /// before anything is opened.
  static func reserve(_ descriptors: ClosedRange<Int32> = STDIN_FILENO...STDERR_FILENO) {
    for descriptor in descriptors where fcntl(descriptor, F_GETFD) < 0 {
      // The opposite access mode makes every use fail, as with a closed descriptor.
      let nothing = open("/dev/null", (descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC)
      guard nothing >= 0, nothing != descriptor else { continue }
      dup2(nothing, descriptor)
      close(nothing)
    }
  }
}
