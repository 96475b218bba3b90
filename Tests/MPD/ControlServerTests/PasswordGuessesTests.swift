import NIOCore
import SystemSupport
import TestSupport
import Testing

@testable import ControlServer

/// How long answers to passwords wait, at moments that the test chooses.
@Suite struct PasswordGuessesTests {
  private let start = NIODeadline.uptimeNanoseconds(5_000_000_000)

  private func origin(_ text: String) throws -> PasswordGuesses.Origin {
    PasswordGuesses.Origin(try #require(IPAddress(text)))
  }

  /// Seconds from `now` until the answer.
  private func wait(
    _ guesses: inout PasswordGuesses, _ origin: PasswordGuesses.Origin, at now: NIODeadline,
    isRight: Bool = false
  ) -> Double {
    let due = guesses.take(isRight: isRight, from: origin, at: now).due
    return Double((due - now).nanoseconds) / 1e9
  }

  @Test(
    "Each wrong password doubles the wait for the next answer, up to 16 s; a right one waits and adds nothing"
  )
  func waits() throws {
    var guesses = PasswordGuesses()
    var now = start
    let client = try origin("192.168.1.20")
    #expect(wait(&guesses, client, at: now, isRight: true) == 0)
    for expected in [0, 1, 2, 4, 8, 16, 16, 16] as [Double] {
      #expect(wait(&guesses, client, at: now, isRight: true) == expected)
      #expect(wait(&guesses, client, at: now) == expected)
      now = now + TimeAmount(seconds: expected)
    }
    #expect(wait(&guesses, try origin("192.168.1.21"), at: now) == 0)
    // A wait that has passed is over, though the count goes on.
    now = now + .seconds(100)
    #expect(wait(&guesses, client, at: now, isRight: true) == 0)
    #expect(wait(&guesses, client, at: now) == 0)
    #expect(wait(&guesses, client, at: now) == 16)
    now = now + .seconds(600)
    #expect(wait(&guesses, client, at: now) == 0)
    #expect(wait(&guesses, client, at: now) == 1)
  }

  @Test(
    "However many connections of an address guess at once, no answer waits longer than 16 s, and few are given"
  )
  func crowd() throws {
    var random = RandomSource(seed: 13)
    var guesses = PasswordGuesses()
    let client = try origin("10.0.0.1")
    // 80 clients, each of which asks again when it was answered, for an hour.
    var due = [NIODeadline](repeating: start, count: 80)
    var answers = 0
    let end = start + .hours(1)
    while let index = due.indices.min(by: { due[$0] < due[$1] }), due[index] < end {
      let now = due[index] + .nanoseconds(Int64(random.next() % 1000))
      let answer = guesses.take(isRight: false, from: client, at: now).due
      #expect(answer >= now && answer - now <= .seconds(16))
      due[index] = answer
      answers += 1
    }
    #expect(answers <= 80 * (3600 / 16 + 2))
  }

  @Test(
    "An IPv6 network counts as one address, and floods of addresses neither grow the memory nor make it forget"
  )
  func memory() throws {
    var guesses = PasswordGuesses()
    for (first, second, isSame) in [
      ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", true), ("2001:db8:1:2::1", "2001:db8:1:3::1", false),
      ("::ffff:10.9.8.7", "10.9.8.7", true), ("10.9.8.7", "10.9.8.8", false),
    ] {
      #expect((try origin(first).key == origin(second).key) == isSame, "\(first) \(second)")
    }
    let first = try origin("10.1.0.0")
    #expect(wait(&guesses, first, at: start) == 0)
    for number in 1..<3000 {
      _ = wait(&guesses, try origin("10.1.\(number / 256).\(number % 256)"), at: start)
    }
    #expect(guesses.count == PasswordGuesses.limit)
    #expect(wait(&guesses, first, at: start, isRight: true) == 1)
    // One that found no place of its own waits as its like.
    #expect(wait(&guesses, try origin("10.200.0.1"), at: start, isRight: true) == 16)
    let later = start + .seconds(601)
    #expect(wait(&guesses, try origin("10.200.0.1"), at: later) == 0)
    #expect(guesses.count == 1)
  }

  @Test("The log has one line in ten seconds, with the address and never a password")
  func reports() throws {
    var guesses = PasswordGuesses()
    func report(_ text: String, after seconds: Int64, isRight: Bool = false) throws -> String? {
      guesses.take(isRight: isRight, from: try origin(text), at: start + .seconds(seconds)).report
    }
    #expect(try report("10.0.0.1", after: 0, isRight: true) == nil)
    #expect(try report("10.0.0.1", after: 0) == "wrong password from 10.0.0.1")
    for _ in 0..<41 { #expect(try report("10.0.0.2", after: 9) == nil) }
    #expect(
      try report("2001:db8::7", after: 10)
        == "wrong password from 2001:db8::7 (and 41 more since the last report)")
    #expect(try report("10.0.0.1", after: 20) == "wrong password from 10.0.0.1")
    let user = PasswordGuesses.Origin(user: 1000)
    #expect(
      guesses.take(isRight: false, from: user, at: start + .seconds(30)).report
        == "wrong password from user 1000")
  }
}
