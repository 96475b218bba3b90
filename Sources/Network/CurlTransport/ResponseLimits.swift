import Transfer

/// Counts the bytes that a server sends in addition to the body of a response, because libcurl does not limit
/// them. Methods return the failure once there are too many.
struct ResponseLimits {
  private let host: String
  /// The number of bytes received, minus the allowance for each byte of the decoded body; at least 0.
  private var besideBody = 0
  private var trailers = 0
  /// The number of progress calls by libcurl before a connection to the host.
  private var calls = 0

  init(_ host: String) { self.host = host }

  /// Starts to count the bytes of a new response.
  mutating func startAgain() { besideBody = 0 }

  /// Counts bytes as they arrive, before chunk framing is removed and the body decoded.
  mutating func receive(_ count: Int) -> TransferFailure? {
    besideBody += count
    guard besideBody > NetworkLimits.besideBody else { return nil }
    return TransferFailure(.badAnswer, "the answer of \(host) has too much beside its body")
  }

  /// Counts bytes of the decoded body.
  mutating func takeBody(_ count: Int) {
    besideBody = max(0, besideBody - count * NetworkLimits.besideBodyByte)
  }

  /// Counts the bytes of a trailer. libcurl keeps all trailers.
  mutating func takeTrailer(_ count: Int) -> TransferFailure? {
    trailers += count
    guard trailers > NetworkLimits.trailers else { return nil }
    return TransferFailure(.badAnswer, "the trailers of the answer are too long")
  }

  /// Counts a progress call before the connection to the host. libcurl 7.88 reads the body of a proxy's refusal
  /// byte by byte, makes only a progress call for each byte, and returns only at the end of the body.
  mutating func wait() -> TransferFailure? {
    calls += 1
    guard calls > NetworkLimits.besideBody else { return nil }
    return TransferFailure(.badAnswer, "the proxy for \(host) answers without end")
  }
}
