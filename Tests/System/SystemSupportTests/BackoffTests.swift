import SystemSupport
import Testing

@Suite struct BackoffTests {
  @Test("delays double up to the longest, and start again after a success")
  func doubling() {
    var backoff = Backoff(first: 1, longest: 30)
    #expect((0..<7).map { _ in backoff.fail() } == [1, 2, 4, 8, 16, 30, 30])
    #expect(backoff.failures == 7)
    backoff.reset()
    #expect(backoff.fail() == 1)
    #expect(backoff.delay(after: 10_000) == 30)
  }

  @Test("the first delay can be shorter than half of the second")
  func firstDelay() {
    var reconnection = Backoff(first: 0.1, second: 0.25, longest: 5)
    #expect((0..<8).map { _ in reconnection.fail() } == [0.1, 0.25, 0.5, 1, 2, 4, 5, 5])
    var restart = Backoff(first: 0, second: 0.25, longest: 5)
    #expect((0..<4).map { _ in restart.fail() } == [0, 0.25, 0.5, 1])
  }

  @Test("jitter changes each delay by at most its fraction, and repeats with the seed")
  func jitter() {
    var one = Backoff(first: 0.25, longest: 15, jitter: 0.1, seed: 7)
    var same = one
    var other = Backoff(first: 0.25, longest: 15, jitter: 0.1, seed: 8)
    for delay in [0.25, 0.5, 1, 2, 4, 8, 15, 15] {
      let drawn = one.fail()
      #expect((0.9 * delay...1.1 * delay).contains(drawn))
      #expect(drawn == same.fail())
      #expect(drawn != other.fail())
    }
  }
}
