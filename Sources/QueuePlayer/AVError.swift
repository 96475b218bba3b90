import AudioCore
public import Foundation

/// The domain of `AVError`.
public let AVFoundationErrorDomain = AVError.errorDomain

/// Why something cannot be played.
///
/// Bridges to `NSError` with `as NSError`: domain "AVFoundationErrorDomain", Apple's codes, a description and
/// a failure reason for a person, and, where the system gave a reason, that as the underlying error.
public struct AVError: CustomNSError, LocalizedError, Hashable, Sendable {
  /// Apple's codes, as far as they can occur here.
  public enum Code: Int, Sendable {
    /// No memory, or the decoder refused to work at all.
    case unknown = -11800
    /// The system's audio was restarted. Not used here: players reconnect automatically.
    case mediaServicesWereReset = -11819
    /// Decoding failed in the middle of the file.
    case decodeFailed = -11821
    /// The file contains no MPEG audio.
    case fileFormatNotRecognized = -11828
    /// The file contains audio that cannot be parsed.
    case fileFailedToParse = -11829
    /// Nothing is played from such a URL, or what is needed for that is not installed.
    case operationNotSupportedForAsset = -11838
    /// The file does not exist or cannot be read, or the network did not bring it.
    case failedToLoadMediaData = -11849
    /// The server's answers contradict themselves.
    case serverIncorrectlyConfigured = -11850
    /// Loading was cancelled, by `AVAsset.cancelLoading()`.
    case operationCancelled = -11878
  }

  /// "AVFoundationErrorDomain".
  public static let errorDomain = "AVFoundationErrorDomain"

  /// What went wrong.
  public let code: Code
  /// The reason in a sentence for a person; nil if there is none beyond `errorDescription`.
  public let failureReason: String?
  /// The underlying error.
  private let underlying: Underlying?

  /// An error of another domain.
  private enum Underlying: Hashable {
    case cocoa(Int)
    case url(Int)

    var error: NSError {
      switch self {
      case .cocoa(let code): NSError(domain: NSCocoaErrorDomain, code: code)
      case .url(let code): NSError(domain: NSURLErrorDomain, code: code)
      }
    }
  }

  /// An error with this code. `reason` is a sentence for a person.
  public init(_ code: Code, reason: String? = nil) {
    self.init(code, reason: reason, nil)
  }

  private init(_ code: Code, reason: String?, _ underlying: Underlying?) {
    self.code = code
    self.failureReason = reason
    self.underlying = underlying
  }

  /// Maps a decoder's error to Apple's codes; `opening` says whether it occurred while the file was opened.
  init(_ error: DecodingError, opening: Bool) {
    switch error.reason {
    case .notFound:
      self.init(.failedToLoadMediaData, reason: error.message, .cocoa(260))  // NSFileReadNoSuchFileError
    case .unreadable:
      self.init(.failedToLoadMediaData, reason: error.message, .cocoa(256))  // NSFileReadUnknownError
    case .notRecognized: self.init(.fileFormatNotRecognized, reason: error.message)
    case .decodeFailed: self.init(opening ? .fileFailedToParse : .decodeFailed, reason: error.message)
    case .unusable: self.init(.unknown, reason: error.message)
    case .unsupported: self.init(.operationNotSupportedForAsset, reason: error.message)
    case .network(let code): self.init(.failedToLoadMediaData, reason: error.message, .url(code))
    case .badServer:
      self.init(.serverIncorrectlyConfigured, reason: error.message, .url(NSURLErrorBadServerResponse))
    }
  }

  /// The error for a file that could be read and has nothing to play.
  static var nothingToPlay: AVError {
    AVError(DecodingError(reason: .notRecognized, message: "no audio that can be played"), opening: true)
  }

  /// `code` as a number.
  public var errorCode: Int { code.rawValue }

  /// What failed, in a sentence for a person.
  public var errorDescription: String? {
    switch code {
    case .unknown: "The operation could not be completed."
    case .mediaServicesWereReset: "The system's audio was restarted."
    case .decodeFailed: "The media could not be decoded."
    case .fileFailedToParse: "The file could not be made sense of."
    case .fileFormatNotRecognized: "The file has no audio that can be played."
    case .operationNotSupportedForAsset: "The media cannot be played from there."
    case .failedToLoadMediaData: "The media could not be read."
    case .serverIncorrectlyConfigured: "The server's answers make no sense."
    case .operationCancelled: "The operation was cancelled."
    }
  }

  /// The user info of the `NSError`.
  public var errorUserInfo: [String: Any] {
    var info: [String: Any] = [NSLocalizedDescriptionKey: errorDescription ?? ""]
    if let failureReason { info[NSLocalizedFailureReasonErrorKey] = failureReason }
    if let underlying { info[NSUnderlyingErrorKey] = underlying.error }
    return info
  }
}

// Short names for `catch` clauses and comparisons: `AVError.decodeFailed`.
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
  /// `Code.serverIncorrectlyConfigured`.
  public static var serverIncorrectlyConfigured: Code { .serverIncorrectlyConfigured }
  /// `Code.operationCancelled`.
  public static var operationCancelled: Code { .operationCancelled }
}

extension AVError.Code {
  /// Lets `catch AVError.decodeFailed` match.
  public static func ~= (code: AVError.Code, error: any Error) -> Bool { (error as? AVError)?.code == code }
}
