import Foundation
import FoundationNetworking
import Transfer
import TransferService

extension TaskRecord {
  init(_ key: TransferKey, _ kind: Kind, _ request: URLRequest, fields: [String: String], timeout: Double) {
    self.init(
      key, kind, url: request.url?.absoluteString ?? "", method: request.httpMethod ?? "GET",
      fields: request.fields(besides: fields), timeout: timeout)
    if request.httpBody?.isEmpty == false || request.httpBodyStream != nil { hasBody = true }
    document = request.mainDocumentURL?.absoluteString
    ignoresCookies = request.httpShouldHandleCookies ? nil : true
  }

  var request: URLRequest? {
    guard let url = URL(string: url) else { return nil }
    var request = URLRequest(url: url)
    request.httpMethod = method
    request.mainDocumentURL = document.flatMap { URL(string: $0) }
    request.httpShouldHandleCookies = ignoresCookies != true
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    return request
  }

  var response: HTTPURLResponse? {
    guard let answer, let url = URL(string: answer.url) else { return nil }
    return NamedResponse(
      url: url, statusCode: answer.status, httpVersion: "HTTP/1.1", headerFields: answer.fields)
  }

  /// Whether the response comes from another URL than that of the task.
  var isRedirected: Bool {
    guard let answer, let asked = try? WebURL.read(url).url.text else { return false }
    return answer.url != asked
  }

  /// The error of the task; nil if it has not ended, or ended with a response.
  var error: URLError? {
    guard let outcome, let code = outcome.code else { return nil }
    let error = URLError.of(
      URLError.Code(rawValue: code) ?? .unknown, URL(string: url), outcome.message,
      resumeData: outcome.resumeData)
    guard let reason = outcome.reason else { return error }
    return URLError(
      error.code,
      userInfo: error.userInfo.merging([NSURLErrorBackgroundTaskCancelledReasonKey: reason]) { $1 })
  }
}
