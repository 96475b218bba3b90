public import Foundation
public import FoundationNetworking
import Synchronization

// Cancelling the Swift task cancels the transfer, and the method throws `cancelled`.
extension URLSession {
  /// Requests `url` and returns the body and the response.
  public func data(
    from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (Data, URLResponse) {
    try await data(for: URLRequest(url: url), delegate: delegate)
  }

  /// Sends `request` and returns the body and the response.
  public func data(
    for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (Data, URLResponse) {
    try await result(delegate) { done in makeData(request, .data(done)) }
  }

  /// Sends a file, and returns the body and the response.
  public func upload(
    for request: URLRequest, fromFile fileURL: URL, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (Data, URLResponse) {
    try await result(delegate) { done in makeUpload(request, .file(fileURL), .data(done)) }
  }

  /// Sends bytes, and returns the body and the response.
  public func upload(
    for request: URLRequest, from bodyData: Data, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (Data, URLResponse) {
    try await result(delegate) { done in makeUpload(request, .data(bodyData), .data(done)) }
  }

  /// Downloads `url`. Returns the file, which the caller must move or remove, and the response.
  public func download(
    from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (URL, URLResponse) {
    try await download(for: URLRequest(url: url), delegate: delegate)
  }

  /// Downloads the response to `request`. Returns the file, which the caller must move or remove, and the
  /// response.
  public func download(
    for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (URL, URLResponse) {
    try await result(delegate) { done in makeDownload(request, nil, .file(isRemoved: false, done)) }
  }

  /// Resumes a download. Returns the file, which the caller must move or remove, and the response.
  public func download(
    resumeFrom resumeData: Data, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (URL, URLResponse) {
    try await result(delegate) { done in makeDownload(nil, resumeData, .file(isRemoved: false, done)) }
  }

  private func result<Value: Sendable>(
    _ delegate: (any URLSessionTaskDelegate)?,
    _ make: (@escaping @Sendable (Value?, URLResponse?, (any Error)?) -> Void) -> URLSessionTask
  ) async throws -> (Value, URLResponse) {
    let begun = Mutex<URLSessionTask?>(nil)
    return try await withTaskCancellationHandler {
      // Unsafe, since the continuation is never resumed if the application has ended.
      try await withUnsafeThrowingContinuation {
        (result: UnsafeContinuation<(Value, URLResponse), any Error>) in
        let task = make { value, response, error in
          if let value, let response {
            result.resume(returning: (value, response))
          } else {
            result.resume(throwing: error ?? URLError(.unknown))
          }
        }
        task.delegate = delegate
        begun.withLock { $0 = task }
        task.resume()
        // The Swift task may have been cancelled before `begun` was set.
        if Task.isCancelled { task.cancel() }
      }
    } onCancel: {
      begun.withLock { $0 }?.cancel()
    }
  }
}
