import Clocks
import Testing

@testable import ContinuoNetworking

@Suite("How often an application hears how far a transfer is")
struct ProgressPaceTests {
  /// What is asked and taken one after the other: the moment in seconds, or the bytes that there are.
  private enum Step {
    case ask(Double, isLast: Bool = false)
    case take(Int64)
  }

  /// 1 and 0 for yes and no, or the bytes that are new.
  private func outcome(_ steps: [Step], from told: Int64 = 0) -> [Int64] {
    var pace = ProgressPace(from: told)
    return steps.map { step in
      switch step {
      case .ask(let seconds, let isLast):
        pace.isDue(at: HostTime(nanoseconds: 0).advanced(bySeconds: seconds), isLast: isLast) ? 1 : 0
      case .take(let total): pace.take(total)
      }
    }
  }

  @Test("Every tenth of a second, and not before the message before is taken")
  func pace() {
    // What comes while a message is on its way is in it.
    let waiting: [Step] = [.ask(1), .ask(5), .ask(5, isLast: true), .take(300)]
    #expect(outcome(waiting) == [1, 0, 0, 300])
    let later: [Step] = [.ask(5.1), .take(450), .ask(5.19), .ask(5.21), .take(450)]
    #expect(outcome(waiting + later) == [1, 0, 0, 300, 1, 150, 0, 1, 0])
  }

  @Test("The last message is not put off, and what is known already is not counted again")
  func ends() {
    let steps: [Step] = [.ask(1), .take(1_010), .ask(1.01), .ask(1.01, isLast: true), .take(1_100)]
    #expect(outcome(steps, from: 1_000) == [1, 10, 0, 1, 90])
  }
}
