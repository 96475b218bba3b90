import Clocks
import Dispatch
import Glibc
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DescriptorSourceTests {
  /// The ends of a connection within this process.
  private static func makeConnection() throws -> (near: Int32, far: Int32) {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
    return (ends[0], ends[1])
  }

  /// What handlers have found, to be awaited.
  private final class Findings: Sendable {
    let stream: AsyncStream<Int>
    let continuation: AsyncStream<Int>.Continuation
    init() { (stream, continuation) = AsyncStream<Int>.makeStream() }

    /// The source to cancel at the end of file, which a level-triggered source reports without end.
    let source = Mutex<DescriptorSource?>(nil)

    /// Reads once, at most so many bytes, and notes how many came.
    func read(_ descriptor: Int32, atMost limit: Int = 64) {
      var bytes = [UInt8](repeating: 0, count: limit)
      let count = Glibc.read(descriptor, &bytes, limit)
      if count == 0 { source.withLock { $0.take() }?.cancel() }
      if count >= 0 { continuation.yield(count) }
    }
  }

  private let queue = DispatchQueue(label: "descriptors")

  /// A source of libdispatch's own stops at the first of these: it tells of the bytes and never of the end.
  @Test func theEndIsSeenBehindWhatCameBefore() async throws {
    for _ in 0..<500 {
      let (near, far) = try Self.makeConnection()
      let findings = Findings()
      let source = try #require(DescriptorSource(descriptor: near, queue: queue) { findings.read(near) })
      findings.source.withLock { $0 = source }
      #expect(write(far, "abc", 3) == 3)
      close(far)
      var found = findings.stream.makeAsyncIterator()
      #expect(await found.next() == 3)
      #expect(await found.next() == 0)
      // A call that has begun still reads: with the number free, it would read from the next round's connection.
      queue.sync {}
      close(near)
    }
  }

  @Test func tellsAgainWhileSomethingIsLeft() async throws {
    let (near, far) = try Self.makeConnection()
    defer { for descriptor in [near, far] { close(descriptor) } }
    let findings = Findings()
    let source = try #require(
      DescriptorSource(descriptor: near, queue: queue) { findings.read(near, atMost: 1) })
    defer { source.cancel() }
    #expect(write(far, "abc", 3) == 3)
    var found = findings.stream.makeAsyncIterator()
    for _ in 0..<3 { #expect(await found.next() == 1) }
  }

  @Test func writingIsWaitedForWhileItIsWanted() async throws {
    let (near, far) = try Self.makeConnection()
    defer { for descriptor in [near, far] { close(descriptor) } }
    let (calls, continuation) = AsyncStream<Void>.makeStream()
    let own = Mutex<DescriptorSource?>(nil)
    let source = try #require(
      DescriptorSource(descriptor: near, queue: queue) {
        own.withLock { $0 }?.wait(for: .readable)
        continuation.yield()
      })
    own.withLock { $0 = source }
    defer { source.cancel() }
    var called = calls.makeAsyncIterator()
    for _ in 0..<3 {
      source.wait(for: [.readable, .writable])
      await called.next()
    }
    // Full: nothing can be written until the other end has read.
    let block = [UInt8](repeating: 0, count: 65536)
    while write(near, block, block.count) > 0 {}
    source.wait(for: [.readable, .writable])
    var bytes = block
    while read(far, &bytes, bytes.count) > 0 {}
    await called.next()
    own.withLock { $0 = nil }
  }

  @Test func aNumberThatIsGivenAgainIsNotWatched() async throws {
    for _ in 0..<200 {
      let (near, far) = try Self.makeConnection()
      let calls = Mutex(0)
      let source = try #require(
        DescriptorSource(descriptor: near, queue: queue) { calls.withLock { $0 += 1 } })
      source.cancel()
      close(near)
      close(far)
      let next = try Self.makeConnection()
      defer { for descriptor in [next.near, next.far] { close(descriptor) } }
      let findings = Findings()
      let other = try #require(
        DescriptorSource(descriptor: next.near, queue: queue) { findings.read(next.near) })
      let before = queue.sync { calls.withLock { $0 } }
      #expect(write(next.far, "x", 1) == 1)
      var found = findings.stream.makeAsyncIterator()
      #expect(await found.next() == 1)
      #expect(queue.sync { calls.withLock { $0 } } == before)
      other.cancel()
    }
  }

  @Test func whatCannotBeWatchedIsRefused() throws {
    let file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    #expect(DescriptorSource(descriptor: file, queue: queue) {} == nil)
    #expect(errno == EPERM)
    #expect(DescriptorSource(descriptor: -1, queue: queue) {} == nil)
  }
}
