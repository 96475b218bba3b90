import Foundation

/// Why a session refuses something.
struct AudioSessionError: Error, Hashable {
  let code: AVAudioSession.ErrorCode
  /// A sentence for a person.
  let reason: String

  init(_ code: AVAudioSession.ErrorCode, _ reason: String) {
    self.code = code
    self.reason = reason
  }

  /// The error that clients catch.
  var asNSError: NSError {
    NSError(
      domain: NSOSStatusErrorDomain, code: code.rawValue, userInfo: [NSLocalizedDescriptionKey: reason])
  }
}
