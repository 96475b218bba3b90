import ContinuoNetworking
import Synchronization

/// A delegate as an application writes it: it writes down what it is told.
final class TransferLog: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {
  private struct State {
    var lines: [String] = []
    var data = Data()
    var file: Data?
    var error: URLError?
    var written: [Int64] = []
    var metrics: (URLSessionTaskMetrics, before: Int)?
  }

  private let state = Mutex(State())
  /// What it answers to a redirect: nil keeps it.
  let followsRedirects: Bool
  let credential: URLCredential?
  let disposition: URLSession.ResponseDisposition
  let onData: @Sendable (URLSessionDataTask) -> Void
  let onEnd: @Sendable () -> Void

  init(
    followsRedirects: Bool = true, credential: URLCredential? = nil,
    disposition: URLSession.ResponseDisposition = .allow,
    onData: @escaping @Sendable (URLSessionDataTask) -> Void = { _ in },
    onEnd: @escaping @Sendable () -> Void = {}
  ) {
    self.followsRedirects = followsRedirects
    self.credential = credential
    self.disposition = disposition
    self.onData = onData
    self.onEnd = onEnd
  }

  // A copy of its own: the thread sanitizer does not see that an array that grows is apart from those that share it.
  var lines: [String] { state.withLock { $0.lines.map { $0 } } }
  var data: Data { state.withLock { Data($0.data) } }
  var file: Data? { state.withLock { $0.file.map { Data($0) } } }
  var error: URLError? { state.withLock { $0.error } }
  var written: [Int64] { state.withLock { $0.written.map { $0 } } }

  /// The metrics, if nothing but the end of the task came after them.
  var metrics: URLSessionTaskMetrics? {
    state.withLock { state in state.metrics.flatMap { $0.before == state.lines.count - 1 ? $0.0 : nil } }
  }

  /// The metrics, whatever came after them.
  var metricsOfHandler: URLSessionTaskMetrics? { state.withLock { $0.metrics?.0 } }

  func note(_ line: String) { state.withLock { $0.lines.append(line) } }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
    note("invalid")
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    note(
      "redirect \(response.statusCode) to \(request.httpMethod ?? "") \(request.url?.absoluteString ?? "")")
    completionHandler(followsRedirects ? request : nil)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    note("challenge of \(challenge.protectionSpace.realm ?? "") after \(challenge.previousFailureCount)")
    if let credential, challenge.previousFailureCount == 0 {
      completionHandler(.useCredential, credential)
    } else {
      completionHandler(.performDefaultHandling, nil)
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
  ) { state.withLock { $0.metrics = (metrics, $0.lines.count) } }

  func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
    note("waiting for connectivity")
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) { note("sent \(totalBytesSent) of \(totalBytesExpectedToSend)") }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    note("response \((response as? HTTPURLResponse)?.statusCode ?? 0)")
    completionHandler(disposition)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    state.withLock { state in
      if state.lines.last != "data" { state.lines.append("data") }
      state.data.append(data)
    }
    onData(dataTask)
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
  ) {
    let data = try? Data(contentsOf: location)
    state.withLock { state in
      state.lines.append("file")
      state.file = data
    }
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    state.withLock { state in
      if state.lines.last != "written" { state.lines.append("written") }
      state.written.append(totalBytesWritten)
    }
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
    expectedTotalBytes: Int64
  ) { note("resumed at \(fileOffset) of \(expectedTotalBytes)") }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let error = error as? URLError
    state.withLock { $0.error = error }
    note("complete" + (error.map { " \($0.code.rawValue)" } ?? ""))
    onEnd()
  }
}
