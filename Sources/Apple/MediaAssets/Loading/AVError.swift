package import AudioCore
public import Foundation

/// The domain of `AVError`.
public let AVFoundationErrorDomain = AVError.errorDomain

/// An error of loading or playback.
///
/// Bridges to `NSError` with `as NSError`: domain "AVFoundationErrorDomain", Apple's codes, and a
/// human-readable description and failure reason. The underlying error is the system's or the transfer's
/// error, if known.
public struct AVError: CustomNSError, LocalizedError, Hashable, Sendable {
  /// The error codes, with Apple's values.
  public enum Code: Int, Sendable {
    /// Memory or file descriptors are exhausted, the decoder cannot be used at all, or the error has no code of its own.
    case unknown = -11800
    /// The audio server was restarted. Does not occur, because players reconnect automatically.
    case mediaServicesWereReset = -11819
    /// Decoding failed in the middle of the medium.
    case decodeFailed = -11821
    /// The file contains no audio in a known format.
    case fileFormatNotRecognized = -11828
    /// The file contains audio that cannot be parsed.
    case fileFailedToParse = -11829
    /// Playback from the URL is not supported, or a library that playback needs is not installed.
    case operationNotSupportedForAsset = -11838
    /// The file does not exist or cannot be read, or its transfer failed.
    case failedToLoadMediaData = -11849
    /// The server's responses contradict each other or violate the protocol, or a resource loader's delegate has reported
    /// an error.
    case serverIncorrectlyConfigured = -11850
    /// Loading was cancelled, by `AVAsset.cancelLoading()`.
    case operationCancelled = -11878
  }

  /// The error domain, "AVFoundationErrorDomain".
  public static let errorDomain = "AVFoundationErrorDomain"

  /// The error code.
  public let code: Code
  /// The reason, as a human-readable sentence; nil if none was given.
  public let failureReason: String?
  /// The code of the underlying error. A negative code is of `NSURLErrorDomain`, a positive one of
  /// `NSCocoaErrorDomain`.
  private var underlying: Int?

  /// Creates an error with a code. `reason` is a human-readable sentence.
  public init(_ code: Code, reason: String? = nil) {
    self.code = code
    failureReason = reason
  }

  private init(_ code: Code, reason: String, underlying: Int) {
    self.init(code, reason: reason)
    self.underlying = underlying
  }

  /// Maps a decoder's error to Apple's codes. `opening`: whether the error occurred while the file was
  /// opened.
  package init(_ error: DecodingError, opening: Bool) {
    switch error.reason {
    case .notFound:
      self.init(.failedToLoadMediaData, reason: error.message, underlying: 260)  // NSFileReadNoSuchFileError
    case .unreadable:
      self.init(.failedToLoadMediaData, reason: error.message, underlying: 256)  // NSFileReadUnknownError
    case .notRecognized: self.init(.fileFormatNotRecognized, reason: error.message)
    case .decodeFailed: self.init(opening ? .fileFailedToParse : .decodeFailed, reason: error.message)
    case .unusable: self.init(.unknown, reason: error.message)
    case .unsupported: self.init(.operationNotSupportedForAsset, reason: error.message)
    case .network(let code): self.init(.failedToLoadMediaData, reason: error.message, underlying: code)
    case .badServer:
      self.init(.serverIncorrectlyConfigured, reason: error.message, underlying: NSURLErrorBadServerResponse)
    }
  }

  /// The error for a readable file without playable audio.
  package static var nothingToPlay: AVError {
    AVError(DecodingError(reason: .notRecognized, message: "no audio that can be played"), opening: true)
  }

  /// The raw value of `code`.
  public var errorCode: Int { code.rawValue }

  /// The failure, as a human-readable sentence.
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

  /// The user info of the `NSError`: the description, and the failure reason and the underlying error if known.
  public var errorUserInfo: [String: Any] {
    var info: [String: Any] = [NSLocalizedDescriptionKey: errorDescription ?? ""]
    if let failureReason { info[NSLocalizedFailureReasonErrorKey] = failureReason }
    if let underlying {
      let domain = underlying < 0 ? NSURLErrorDomain : NSCocoaErrorDomain
      info[NSUnderlyingErrorKey] = NSError(domain: domain, code: underlying)
    }
    return info
  }
}

// Short names for `catch` clauses and comparisons: `AVError.decodeFailed`.
extension AVError {
  /// An alias of `Code.unknown`.
  public static var unknown: Code { .unknown }
  /// An alias of `Code.mediaServicesWereReset`.
  public static var mediaServicesWereReset: Code { .mediaServicesWereReset }
  /// An alias of `Code.fileFailedToParse`.
  public static var fileFailedToParse: Code { .fileFailedToParse }
  /// An alias of `Code.decodeFailed`.
  public static var decodeFailed: Code { .decodeFailed }
  /// An alias of `Code.fileFormatNotRecognized`.
  public static var fileFormatNotRecognized: Code { .fileFormatNotRecognized }
  /// An alias of `Code.operationNotSupportedForAsset`.
  public static var operationNotSupportedForAsset: Code { .operationNotSupportedForAsset }
  /// An alias of `Code.failedToLoadMediaData`.
  public static var failedToLoadMediaData: Code { .failedToLoadMediaData }
  /// An alias of `Code.serverIncorrectlyConfigured`.
  public static var serverIncorrectlyConfigured: Code { .serverIncorrectlyConfigured }
  /// An alias of `Code.operationCancelled`.
  public static var operationCancelled: Code { .operationCancelled }
}

extension AVError.Code {
  /// Returns whether `error` is an `AVError` with this code, so that `catch AVError.decodeFailed` matches.
  public static func ~= (code: AVError.Code, error: any Error) -> Bool { (error as? AVError)?.code == code }
}
