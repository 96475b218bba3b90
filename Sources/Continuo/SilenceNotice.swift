import Foundation
import QueuePlayer
import Synchronization

/// Says on standard error why nothing is heard, once in the life of the process, however often the output is tried
/// again. For applications that do not ask for diagnostics.
enum SilenceNotice {
  private static let isSaid = Atomic(false)

  /// Says it if the diagnostic is that and nothing was said before. Any thread.
  ///
  /// - Parameters:
  ///   - place: where sound was to be heard, as in "no sound `place`".
  ///   - advice: what can be done about it.
  static func say(_ diagnostic: PlaybackDiagnostic, place: String, advice: String) {
    guard case .outputUnavailable(let reason, let retryAfter) = diagnostic,
      !isSaid.exchange(true, ordering: .relaxed)
    else { return }
    let waits = retryAfter == nil ? "" : " Players wait for it."
    FileHandle.standardError.write(Data("Continuo: no sound \(place): \(reason).\(waits) \(advice)\n".utf8))
  }
}
