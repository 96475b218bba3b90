import Foundation

/// The error of a call that a session refuses.
struct AudioSessionError: Error, Hashable {
  let code: AVAudioSession.ErrorCode
  /// The reason, in a sentence for people.
  let reason: String

  init(_ code: AVAudioSession.ErrorCode, _ reason: String) {
    self.code = code
    self.reason = reason
  }

  /// The error that clients catch, in the domain `NSOSStatusErrorDomain`.
  var asNSError: NSError {
    NSError(
      domain: NSOSStatusErrorDomain, code: code.rawValue, userInfo: [NSLocalizedDescriptionKey: reason])
  }
}
