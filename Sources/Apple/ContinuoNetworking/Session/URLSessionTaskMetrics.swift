import Clocks
public import Foundation
public import FoundationNetworking
import Transfer
import TransferService

/// The metrics of a task.
open class URLSessionTaskMetrics: NSObject, @unchecked Sendable {
  // Unchecked, because the class is open; its state is immutable.

  /// The origin of a response.
  public enum ResourceFetchType: Int, Hashable, Sendable {
    /// The origin is unknown.
    case unknown = 0
    /// The response was loaded over the network.
    case networkLoad = 1
    /// Never used: servers do not push.
    case serverPush = 2
    /// The response comes from the cache, a file or the URL itself.
    case localCache = 3
  }

  /// The metrics of the request on each connection, oldest first, including redirects and refused credentials; at most
  /// the last 100. A response from the cache, a file or the URL itself adds an element. A download or upload of a
  /// background session has one element, without measurements.
  public let transactionMetrics: [URLSessionTaskTransactionMetrics]
  /// The time from the creation of the task, or its restoration in a new process, to its end.
  public let taskInterval: DateInterval

  /// Creates empty metrics.
  public override convenience init() { self.init([], DateInterval()) }

  init(_ transactions: [URLSessionTaskTransactionMetrics], _ interval: DateInterval) {
    transactionMetrics = transactions
    taskInterval = interval
  }

  /// The number of followed redirects in `transactionMetrics`; 0 for downloads and uploads of background sessions.
  open var redirectCount: Int { transactionMetrics.dropLast().count { $0.isRedirect } }
}

/// The metrics of a request on one connection. Dates of phases that have not occurred, or were not measured, are nil.
/// Once a response has arrived, the phases are those that libcurl has measured. Byte counts include only bodies.
open class URLSessionTaskTransactionMetrics: NSObject, @unchecked Sendable {
  // Unchecked, because the class is open; its state is immutable.

  /// The request as it was sent; the task's current request if the connection was not measured.
  public let request: URLRequest
  /// The response; nil if none arrived.
  public let response: URLResponse?
  /// The origin of the response.
  public let resourceFetchType: URLSessionTaskMetrics.ResourceFetchType
  private let transaction: Transaction?
  private let phases: Transaction.Phases?
  private let date: @Sendable (HostTime?) -> Date?
  let isRedirect: Bool

  init(_ transaction: Transaction, on clock: any HostClock) {
    let sent = transaction.request
    let url = URL(string: sent.url.text) ?? URL(fileURLWithPath: "/")
    var request = URLRequest(url: url)
    request.httpMethod = sent.sentMethod
    for field in sent.fields.all { request.setValue(field.value, forHTTPHeaderField: field.name) }
    self.request = request
    response = transaction.head?.response(for: url)
    resourceFetchType = .networkLoad
    self.transaction = transaction
    phases = transaction.phases
    // The date is computed once, because conversions by the real clock differ slightly between calls.
    let (began, origin) = (transaction.began, clock.date(of: transaction.began))
    date = { $0.map { origin.addingTimeInterval($0.seconds(since: began)) } }
    isRedirect = transaction.head?.redirect != nil
  }

  /// Creates the metrics of a request whose phases were not measured.
  init(
    _ request: URLRequest, _ response: URLResponse?, fetched type: URLSessionTaskMetrics.ResourceFetchType
  ) {
    self.request = request
    self.response = response
    resourceFetchType = type
    transaction = nil
    phases = nil
    date = { _ in nil }
    isRedirect = false
  }

  /// The time at which the request was handed to the network.
  open var fetchStartDate: Date? { date(transaction?.began) }
  /// The start of the host name's resolution.
  open var domainLookupStartDate: Date? { date(phases?.lookup?.start) }
  /// The end of the host name's resolution.
  open var domainLookupEndDate: Date? { date(phases?.lookup?.end) }
  /// The start of the connection's establishment.
  open var connectStartDate: Date? { date(phases?.connection?.start) }
  /// The start of the TLS handshake.
  open var secureConnectionStartDate: Date? { date(phases?.security?.start) }
  /// The end of the TLS handshake.
  open var secureConnectionEndDate: Date? { date(phases?.security?.end) }
  /// The end of the connection's establishment, TLS included.
  open var connectEndDate: Date? { date(phases?.connection?.end) }
  /// The start of the request.
  open var requestStartDate: Date? { date(phases?.request?.start) }
  /// The end of the request.
  open var requestEndDate: Date? { date(phases?.request?.end) }
  /// The arrival of the response's head.
  open var responseStartDate: Date? { date(transaction?.answered) }
  /// The end of the response, or of the connection.
  open var responseEndDate: Date? { date(transaction?.ended) }

  /// The protocol of the request, `http/1.1`; nil if no response arrived, or none was measured.
  open var networkProtocolName: String? { transaction?.head == nil ? nil : "http/1.1" }
  /// Whether the connection was made to a proxy.
  open var isProxyConnection: Bool { transaction?.timing?.isProxied ?? false }
  /// Whether the connection was reused from an earlier request.
  open var isReusedConnection: Bool { transaction?.timing?.isReused ?? false }
  /// The address of this machine's end of the connection; nil if unknown.
  open var localAddress: String? { transaction?.timing?.local?.address }
  /// The port of this machine's end of the connection; nil if unknown.
  open var localPort: Int? { transaction?.timing?.local?.port }
  /// The address of the server, or of the proxy; nil if unknown.
  open var remoteAddress: String? { transaction?.timing?.remote?.address }
  /// The port of the server, or of the proxy; nil if unknown.
  open var remotePort: Int? { transaction?.timing?.remote?.port }
  /// The number of request body bytes sent.
  open var countOfRequestBodyBytesSent: Int64 { transaction?.sentCount ?? 0 }
  /// The number of request body bytes before encoding, equal to the number sent because bodies are not
  /// encoded.
  open var countOfRequestBodyBytesBeforeEncoding: Int64 { countOfRequestBodyBytesSent }
  /// The number of response body bytes after decoding.
  open var countOfResponseBodyBytesAfterDecoding: Int64 { transaction?.receivedCount ?? 0 }
  /// The number of response body bytes before decoding. For an encoded body, this is the announced length, if
  /// any, or else the number after decoding.
  open var countOfResponseBodyBytesReceived: Int64 {
    let encoded = transaction?.head.flatMap { $0.isEncoded ? $0.fields["Content-Length"] : nil }
    return encoded.flatMap { Int64($0) } ?? countOfResponseBodyBytesAfterDecoding
  }
  /// Always false: cellular networks do not exist.
  open var isCellular: Bool { false }
  /// Always false: no network counts as expensive.
  open var isExpensive: Bool { false }
  /// Always false: no network counts as constrained.
  open var isConstrained: Bool { false }
  /// Always false: multipath connections are not used.
  open var isMultipath: Bool { false }
}
