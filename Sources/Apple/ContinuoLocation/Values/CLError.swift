public import Foundation

/// The error domain of `CLError`.
public let kCLErrorDomain = CLError.errorDomain

/// A location error. Bridges to `NSError` with `as NSError`: domain "kCLErrorDomain" and Apple's codes.
public struct CLError: CustomNSError, LocalizedError, Hashable, Sendable {
  /// The error codes, equal to Apple's.
  public enum Code: Int, Hashable, Sendable {
    /// The location is currently unknown; updates continue and may find it.
    case locationUnknown = 0
    /// The user has not allowed the use of the location.
    case denied = 1
    /// The network is unreachable. Not used here: an unreachable receiver is `locationUnknown`.
    case network = 2
  }

  /// The error domain, equal to Apple's: "kCLErrorDomain".
  public static let errorDomain = "kCLErrorDomain"
  /// The location is currently unknown; updates continue and may find it.
  public static let locationUnknown = Code.locationUnknown
  /// The user has not allowed the use of the location.
  public static let denied = Code.denied
  /// The network is unreachable.
  public static let network = Code.network

  /// The code of this error.
  public let code: Code

  /// Creates an error with the given code.
  public init(_ code: Code) { self.code = code }

  /// The numeric value of `code`.
  public var errorCode: Int { code.rawValue }

  /// The localized description of the error.
  public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: errorDescription ?? ""] }

  /// A message for the user.
  public var errorDescription: String? {
    switch code {
    case .locationUnknown: "The location is not known at present."
    case .denied: "The use of the location is not allowed."
    case .network: "The network cannot be reached."
    }
  }
}

extension CLError.Code {
  /// Returns whether `error` is a `CLError` with that code: `catch CLError.denied`.
  public static func ~= (code: CLError.Code, error: any Error) -> Bool { (error as? CLError)?.code == code }
}
