import AppLifecycle
import Clocks
import ContinuoCommand
import Dispatch
import Foundation

/// The phone of this program: starts the program once more as its application, and presses the buttons of a script.
///
/// A press waits for the effects of the previous one, as a person would. The watchdog limits that time.
@MainActor
final class ScriptedPhone {
  private let run: PhoneRun
  private let start: HostTime
  private var lastTask = RefreshScreen.refresh

  private init(_ run: PhoneRun, start: HostTime) {
    self.run = run
    self.start = start
  }

  /// Performs the script of a plan and, if `readsInput`, the words of standard input. `start` is the start of
  /// the phone. Never returns. The end of the script does not end the phone.
  static func run(_ plan: Plan, arguments: [String], start: HostTime, readsInput: Bool) -> Never {
    var parts = PhoneRun.Parts(arguments: arguments, modes: plan.parts.modes, timeline: plan.drawing)
    parts.readsKeys = !readsInput
    // The application prints its refused requests itself.
    parts.saysRefusals = false
    parts.startsProgram = false
    parts.staysForLaunch = true
    parts.onRecord = { sayAsSystem("\($0.event)", at: $0.time, since: start) }
    return PhoneRun.run(parts) { run in
      let phone = ScriptedPhone(run, start: start)
      Task { await phone.play(plan, readsInput: readsInput) }
    }
  }

  private func play(_ plan: Plan, readsInput: Bool) async {
    if plan.launches { await perform(.launch) }
    let start = ContinuousClock.now
    for press in plan.presses {
      try? await Task.sleep(until: start + .seconds(press.time), clock: .continuous)
      await perform(press.action)
    }
    guard readsInput else { return }
    for await word in Self.typedWords() {
      guard let action = Press.Action(rawValue: word) else {
        complain("Backgrounder: unknown word \"\(word)\"")
        continue
      }
      await perform(action)
    }
  }

  /// The maximum number of characters kept of an incomplete word: more than any word of a script has.
  private nonisolated static let wordLimit = 100

  private static func typedWords() -> AsyncStream<String> {
    AsyncStream { continuation in
      DispatchQueue.global().async {
        var rest = ""
        // Not `readLine`, which holds the lock of the stream that the end of the process flushes.
        while case let data = FileHandle.standardInput.availableData, !data.isEmpty {
          rest += String(decoding: data, as: UTF8.self)
          var words = rest.split(omittingEmptySubsequences: false, whereSeparator: \.isWhitespace)
          rest = words.popLast().map { String($0.prefix(wordLimit)) } ?? ""
          for word in words where !word.isEmpty { continuation.yield(String(word)) }
        }
        if !rest.isEmpty { continuation.yield(rest) }
        continuation.finish()
      }
    }
  }

  private func perform(_ action: Press.Action) async {
    // Printed before the event is performed, because the event may resume the application, which prints too.
    say(action.rawValue)
    guard let happening = action.happening(lastTask: lastTask) else {
      return PhoneRun.end(run.hasFaulted ? 1 : 0)
    }
    if case .launchTask(let identifier) = happening { lastTask = identifier }
    let refusal = await withCheckedContinuation { continuation in
      run.perform(happening) { continuation.resume(returning: $0) }
    }
    switch (happening, refusal) {
    case (_, nil): break
    case (.touch, _?): say("the application is not active")
    case (_, let refusal?): complain("Backgrounder: \(action.rawValue): \(refusal)")
    }
    await withCheckedContinuation { continuation in run.whenSettled { continuation.resume() } }
  }

  private func say(_ text: String) { sayAsSystem(text, at: SystemClock.shared.now, since: start) }
}
