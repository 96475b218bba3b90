import AudioSession
import Foundation
import Synchronization

/// Explains on standard error why no sound is heard, once per process, regardless of retries. For
/// applications that request no diagnostics.
enum SilenceNotice {
  private static let isSaid = Atomic(false)

  /// Writes the notice if the diagnostic is `outputUnavailable` and none was written before. Any thread.
  ///
  /// - Parameters:
  ///   - place: the location of the output, to complete "no sound `place`".
  ///   - advice: the advice for users.
  static func say(_ diagnostic: PlaybackDiagnostic, place: String, advice: String) {
    guard case .outputUnavailable(let reason, let retryAfter) = diagnostic,
      !isSaid.exchange(true, ordering: .relaxed)
    else { return }
    let waits = retryAfter == nil ? "" : " Players wait for it."
    FileHandle.standardError.write(Data("Continuo: no sound \(place): \(reason).\(waits) \(advice)\n".utf8))
  }
}
