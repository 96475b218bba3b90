public import Foundation

/// The domain of `CLError`.
public let kCLErrorDomain = CLError.errorDomain

/// Why there is no place. Bridges to `NSError` with `as NSError`: domain "kCLErrorDomain" and Apple's codes.
public struct CLError: CustomNSError, LocalizedError, Hashable, Sendable {
  /// Apple's codes, as far as they can occur here.
  public enum Code: Int, Hashable, Sendable {
    /// The place is not known at present; updates go on and may find it.
    case locationUnknown = 0
    /// A person does not allow it.
    case denied = 1
    /// The network cannot be reached. Not used here: a receiver that cannot be reached is `locationUnknown`.
    case network = 2
  }

  /// "kCLErrorDomain".
  public static let errorDomain = "kCLErrorDomain"
  /// The place is not known at present; updates go on and may find it.
  public static let locationUnknown = Code.locationUnknown
  /// A person does not allow it.
  public static let denied = Code.denied
  /// The network cannot be reached.
  public static let network = Code.network

  /// What went wrong.
  public let code: Code

  /// An error with this code.
  public init(_ code: Code) { self.code = code }

  /// `code` as a number.
  public var errorCode: Int { code.rawValue }

  /// The sentence for a person.
  public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: errorDescription ?? ""] }

  /// A sentence for a person.
  public var errorDescription: String? {
    switch code {
    case .locationUnknown: "The location is not known at present."
    case .denied: "The use of the location is not allowed."
    case .network: "The network cannot be reached."
    }
  }
}

extension CLError.Code {
  /// Whether `error` is a `CLError` with that code: `catch CLError.denied`.
  public static func ~= (code: CLError.Code, error: any Error) -> Bool { (error as? CLError)?.code == code }
}
