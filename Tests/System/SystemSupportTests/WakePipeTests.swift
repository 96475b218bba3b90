import Glibc
import SystemSupport
import Testing

@Suite struct WakePipeTests {
  private func isReadable(_ descriptor: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) == 1
  }

  @Test("Calls, however many, end one wait until the pipe is emptied") func wakes() {
    // More than the pipe takes (64 KiB): none blocks.
    for calls in [1, 17, 70_000] {
      guard let pipe = WakePipe() else {
        Issue.record("no pipe")
        return
      }
      #expect(!isReadable(pipe.descriptor))
      for _ in 0..<calls { pipe.wake() }
      #expect(isReadable(pipe.descriptor))
      pipe.empty()
      #expect(!isReadable(pipe.descriptor))
      pipe.wake()
      #expect(isReadable(pipe.descriptor))
    }
  }

  @Test("Programs that this one starts do not get the descriptor") func closesOnExec() {
    guard let pipe = WakePipe() else {
      Issue.record("no pipe")
      return
    }
    #expect(fcntl(pipe.descriptor, F_GETFD) & FD_CLOEXEC != 0)
  }
}
