import Testing
import Transfer

@testable import TransferService

@Suite("The question about a server's certificates")
struct TrustQuestionTests {
  private let unaccepted = TransferFailure(.unaccepted, "not accepted")
  private let invalid = TransferFailure(.certificate, "not valid")

  private func check(_ accepted: [String] = [], isVerified: Bool = true) -> ServerCheck {
    var check = ServerCheck()
    (check.accepted, check.isVerified) = (accepted, isVerified)
    return check
  }

  @Test("a valid certificate is presented at the first connection, an invalid one at the second")
  func ask() {
    var question = TrustQuestion()
    question.presented = ["a"]
    #expect(question.step(after: unaccepted, of: check()) == .ask(["a"], nil))
    #expect(question.accept(check()) == check(["a"]))
    #expect(question.accept(check()) == nil, "a second decision")
    question = TrustQuestion()
    #expect(question.step(after: invalid, of: check(["a"])) == .connect(check(isVerified: false)))
    question.presented = ["b"]
    #expect(question.step(after: unaccepted, of: check(isVerified: false)) == .ask(["b"], invalid))
    #expect(question.accept(check(["a"])) == check(["a", "b"], isVerified: false))
  }

  @Test("a certificate that was accepted unverified, and has changed, is verified first")
  func changed() {
    var question = TrustQuestion()
    #expect(question.step(after: unaccepted, of: check(["a"], isVerified: false)) == .connect(check(["a"])))
  }

  @Test("other failures, requests without a check, and connections without certificates ask nothing")
  func others() {
    var question = TrustQuestion()
    #expect(question.step(after: TransferFailure(.lost, ""), of: check()) == nil)
    #expect(question.step(after: unaccepted, of: nil) == nil)
    #expect(question.step(after: unaccepted, of: check()) == nil)
  }
}
