import AudioCore
public import Foundation

/// The domain of `AVError`.
public let AVFoundationErrorDomain = AVError.errorDomain

/// Why something cannot be played.
///
/// Bridges to `NSError` with `as NSError`: domain "AVFoundationErrorDomain", Apple's codes, a description and a failure
/// reason for a person, and, where the system gave a reason, that as the underlying error.
public struct AVError: CustomNSError, LocalizedError, Hashable, Sendable {
  /// Apple's codes, as far as they can occur here.
  public enum Code: Int, Sendable {
    /// No memory, or the decoder refused to work at all.
    case unknown = -11800
    /// The system's audio was restarted. Does not occur: players reconnect by themselves.
    case mediaServicesWereReset = -11819
    /// Decoding broke off.
    case decodeFailed = -11821
    /// There is no MPEG audio in the file.
    case fileFormatNotRecognized = -11828
    /// There is audio in the file, but it cannot be made sense of.
    case fileFailedToParse = -11829
    /// The media cannot be played from where it is: only files can.
    case operationNotSupportedForAsset = -11838
    /// The file is not there or cannot be read.
    case failedToLoadMediaData = -11849
  }

  /// "AVFoundationErrorDomain".
  public static let errorDomain = "AVFoundationErrorDomain"

  /// What went wrong.
  public let code: Code
  /// The same in a sentence.
  public let failureReason: String?
  /// The code in `NSCocoaErrorDomain` that says more, if there is one.
  private let cocoaCode: Int?

  /// An error of that kind. `reason` is a sentence for a person.
  public init(_ code: Code, reason: String? = nil) {
    self.init(code, reason: reason, cocoaCode: nil)
  }

  private init(_ code: Code, reason: String?, cocoaCode: Int?) {
    self.code = code
    self.failureReason = reason
    self.cocoaCode = cocoaCode
  }

  /// What the decoder's error is in Apple's terms; `opening` says whether the file was being opened.
  init(_ error: DecodingError, opening: Bool) {
    switch error.reason {
    case .notFound:
      self.init(.failedToLoadMediaData, reason: error.message, cocoaCode: 260)  // NSFileReadNoSuchFileError
    case .unreadable:
      self.init(.failedToLoadMediaData, reason: error.message, cocoaCode: 256)  // NSFileReadUnknownError
    case .notRecognized: self.init(.fileFormatNotRecognized, reason: error.message)
    case .decodeFailed: self.init(opening ? .fileFailedToParse : .decodeFailed, reason: error.message)
    case .unusable: self.init(.unknown, reason: error.message)
    }
  }

  /// Only files are played.
  init(unsupported url: URL) {
    self.init(
      .operationNotSupportedForAsset,
      reason: "Only file URLs can be played, not \(url.scheme ?? "this kind").")
  }

  /// `code` as a number.
  public var errorCode: Int { code.rawValue }

  /// What can be done or not, for a person.
  public var errorDescription: String? {
    switch code {
    case .unknown: "The operation could not be completed."
    case .mediaServicesWereReset: "The system's audio was restarted."
    case .decodeFailed: "The media could not be decoded."
    case .fileFailedToParse: "The file could not be made sense of."
    case .fileFormatNotRecognized: "The file has no audio that can be played."
    case .operationNotSupportedForAsset: "The media cannot be played from there."
    case .failedToLoadMediaData: "The media could not be read."
    }
  }

  /// The user info of the `NSError`.
  public var errorUserInfo: [String: Any] {
    var info: [String: Any] = [NSLocalizedDescriptionKey: errorDescription ?? ""]
    if let failureReason { info[NSLocalizedFailureReasonErrorKey] = failureReason }
    if let cocoaCode { info[NSUnderlyingErrorKey] = NSError(domain: NSCocoaErrorDomain, code: cocoaCode) }
    return info
  }
}

// The codes as they are written in `catch` clauses and comparisons.
extension AVError {
  /// `Code.unknown`.
  public static var unknown: Code { .unknown }
  /// `Code.mediaServicesWereReset`.
  public static var mediaServicesWereReset: Code { .mediaServicesWereReset }
  /// `Code.fileFailedToParse`.
  public static var fileFailedToParse: Code { .fileFailedToParse }
  /// `Code.decodeFailed`.
  public static var decodeFailed: Code { .decodeFailed }
  /// `Code.fileFormatNotRecognized`.
  public static var fileFormatNotRecognized: Code { .fileFormatNotRecognized }
  /// `Code.operationNotSupportedForAsset`.
  public static var operationNotSupportedForAsset: Code { .operationNotSupportedForAsset }
  /// `Code.failedToLoadMediaData`.
  public static var failedToLoadMediaData: Code { .failedToLoadMediaData }
}

extension AVError.Code {
  /// Lets `catch AVError.decodeFailed` match.
  public static func ~= (code: AVError.Code, error: any Error) -> Bool { (error as? AVError)?.code == code }
}
