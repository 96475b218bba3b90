import Glibc
import Testing

@testable import ContinuoCommand

@Suite struct StandardDescriptorsTests {
  /// Far above those that other tests open meanwhile.
  private static let range: ClosedRange<Int32> = 700...702

  @Test func takesThePlaceOfClosedOnesOnly() throws {
    let kept = Self.range.lowerBound + 1
    #expect(dup2(STDERR_FILENO, kept) == kept)
    defer { for descriptor in Self.range { close(descriptor) } }
    var before = stat()
    #expect(fstat(kept, &before) == 0)
    StandardDescriptors.reserve(Self.range)
    for descriptor in Self.range { #expect(fcntl(descriptor, F_GETFD) >= 0) }
    var after = stat()
    #expect(fstat(kept, &after) == 0)
    #expect(before.st_ino == after.st_ino && before.st_dev == after.st_dev)
    // Writing to one is an error, as it would be had it stayed closed.
    let written = write(Self.range.upperBound, "x", 1)
    #expect(written == -1 && errno == EBADF)
  }
}
