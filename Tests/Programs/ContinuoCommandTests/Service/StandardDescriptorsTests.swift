import Glibc
import Testing

@testable import ContinuoCommand

@Suite struct StandardDescriptorsTests {
  @Test func takesThePlaceOfClosedOnesOnly() throws {
    // The last that the process may have: the system hands out the first that are free, to other tests too.
    var limit = rlimit()
    try #require(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
    let last = Int32(min(limit.rlim_cur, 65_536)) - 1
    let range = last - 2...last
    let kept = range.lowerBound + 1
    #expect(dup2(STDERR_FILENO, kept) == kept)
    defer { for descriptor in range { close(descriptor) } }
    var before = stat()
    #expect(fstat(kept, &before) == 0)
    StandardDescriptors.reserve(range)
    for descriptor in range { #expect(fcntl(descriptor, F_GETFD) >= 0) }
    var after = stat()
    #expect(fstat(kept, &after) == 0)
    #expect(before.st_ino == after.st_ino && before.st_dev == after.st_dev)
    // Writing to one is an error, as it would be had it stayed closed.
    let written = write(range.upperBound, "x", 1)
    let error = errno
    #expect(written == -1 && error == EBADF)
  }
}
