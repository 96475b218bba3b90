import Foundation
import FoundationNetworking
import Transfer
import TransferService

extension ResumeData {
  /// Creates the data to resume after `count` bytes of a file; nil without bytes, or if the request or the response
  /// does not allow it.
  init?(_ request: URLRequest, _ head: ResponseHead?, path: String, count: Int64) {
    guard let url = request.url else { return nil }
    self.init(
      url: url.absoluteString, method: request.httpMethod ?? "GET",
      fields: request.allHTTPHeaderFields ?? [:],
      head, path: path, count: count)
  }

  /// The request of the download, without range fields and credentials; nil if the URL cannot be parsed.
  var request: URLRequest? {
    guard let url = URL(string: url) else { return nil }
    var request = URLRequest(url: url)
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    return request
  }
}
