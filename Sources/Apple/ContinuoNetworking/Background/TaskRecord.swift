import Foundation
import FoundationNetworking
import Transfer

/// The record of a background session's task, as stored on disk.
struct TaskRecord: Codable, Sendable {
  enum Kind: Codable, Sendable {
    case download
    /// An upload of `count` bytes of the file at `path`; -1 before the file was examined.
    case upload(path: String, count: Int64)
  }

  struct Outcome: Codable, Sendable {
    /// A code of `NSURLErrorDomain`; nil if a response arrived.
    var code: Int?
    var message = ""
    /// The reason for which the device has cancelled the task.
    var reason: Int?
    var resumeData: Data?

    static func failed(_ code: URLError.Code, _ message: String, resumeData: Data? = nil) -> Outcome {
      Outcome(code: code.rawValue, message: message, resumeData: resumeData)
    }
  }

  struct Answer: Codable, Sendable {
    var status: Int
    var fields: [String: String]
    var url: String
    var body = Data()
  }

  private(set) var version = 1
  let session: String
  let task: Int
  var kind: Kind
  var url: String
  var method: String
  /// The header fields of the request. Secret ones are not stored on disk.
  var fields: [String: String]
  /// The timeout in seconds without a byte.
  var timeout: Double
  var taskDescription: String?
  /// The time of the first resume; nil before.
  var begun: Date?
  var deadline: Date?
  var earliest: Date?
  var isDiscretionary = false
  var received: Int64 = 0
  var expected: Int64 = -1
  var sent: Int64 = 0
  var answer: Answer?
  var outcome: Outcome?

  init(_ key: TransferKey, _ kind: Kind, _ request: URLRequest, fields: [String: String], timeout: Double) {
    session = key.session
    task = key.task
    self.kind = kind
    url = request.url?.absoluteString ?? ""
    method = request.httpMethod ?? "GET"
    self.fields = fields.merging(request.allHTTPHeaderFields ?? [:], uniquingKeysWith: { $1 })
    self.timeout = timeout
  }

  var key: TransferKey { TransferKey(session: session, task: task) }

  var request: URLRequest? {
    guard let url = URL(string: url) else { return nil }
    var request = URLRequest(url: url)
    request.httpMethod = method
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    return request
  }

  var response: HTTPURLResponse? {
    guard let answer, let url = URL(string: answer.url) else { return nil }
    return NamedResponse(
      url: url, statusCode: answer.status, httpVersion: "HTTP/1.1", headerFields: answer.fields)
  }

  /// The error of the task; nil if a response arrived.
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

  mutating func take(_ head: ResponseHead, from url: WebURL) {
    var head = head
    // The application has requested the complete resource, not a range.
    if head.status == 206, head.contentRange?.bytes?.lowerBound == 0 {
      head.status = 200
      head.fields.remove("Content-Range")
    }
    let fields = Dictionary(head.fields.all.map { ($0.name, $0.value) }) { $1 }
    answer = Answer(status: head.status, fields: fields, url: url.text)
  }

  /// The base name of the task's files. All files of a session share a prefix.
  var name: String {
    let hash = session.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    return "\(String(hash, radix: 16))-\(task)"
  }

  /// The encoded record, without secrets.
  var bytes: Data? {
    var kept = self
    kept.fields = ResumeData.withoutSecrets(fields)
    kept.url = String(decoding: WebURL.withoutCredentials(Array(url.utf8)), as: UTF8.self)
    if let text = taskDescription, text.utf8.count > 65_536 { kept.taskDescription = nil }
    let encoder = JSONEncoder()
    // A timeout may be infinite, which JSON numbers cannot represent.
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try? encoder.encode(kept)
  }

  /// Returns the records in a folder, ignoring invalid files. Blocks on the disk.
  static func read(in folder: String) -> [TaskRecord] {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".task") }.sorted().compactMap { name in
      guard let data = FileManager.default.contents(atPath: "\(folder)/\(name)"),
        let record = try? decoder.decode(TaskRecord.self, from: data), record.version == 1,
        "\(record.name).task" == name
      else { return nil }
      return record
    }
  }
}
