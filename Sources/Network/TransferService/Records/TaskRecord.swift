package import Foundation
package import Transfer

/// The record of a background session's task, as stored on disk.
package struct TaskRecord: Codable, Sendable {
  package enum Kind: Codable, Sendable {
    case download
    /// An upload of `count` bytes of the file at `path`; -1 before the file was examined.
    case upload(path: String, count: Int64)
  }

  package struct Outcome: Codable, Sendable {
    /// A code of `NSURLErrorDomain`; nil if the task ended with a response, whatever its status.
    package var code: Int?
    package var message = ""
    /// The reason for which the device has cancelled the task.
    package var reason: Int?
    package var resumeData: Data?

    package static func failed(_ code: URLError.Code, _ message: String, resumeData: Data? = nil) -> Outcome {
      Outcome(code: code.rawValue, message: message, resumeData: resumeData)
    }
  }

  package struct Answer: Codable, Sendable {
    package var status: Int
    package var fields: [String: String]
    package var url: String
    package var body = Data()

    package var head: ResponseHead { ResponseHead(status: status, fields: fields.map { ($0.key, $0.value) }) }
  }

  private(set) var version = 1
  package let session: String
  package let task: Int
  package var kind: Kind
  package var url: String
  package var method: String
  /// Whether the request has a body, which is not part of the record; nil for false.
  package var hasBody: Bool?
  /// The header fields of the request. Secret ones are not stored on disk.
  package var fields: [String: String]
  /// The URL of the main document, which decides about cookies; nil if none.
  package var document: String?
  /// Whether the request neither sends nor stores cookies; nil for false.
  package var ignoresCookies: Bool?
  /// Whether cookies of redirects are sent with the requests that follow; nil for false.
  package var sendsCookies: Bool?
  /// The timeout in seconds without a byte.
  package var timeout: Double
  /// The maximum number of concurrent transfers of the session with one host; nil for the default.
  package var connectionsPerHost: Int?
  package var taskDescription: String?
  /// The time of the first resume; nil before.
  package var begun: Date?
  package var deadline: Date?
  /// The earliest start; nil if none, or once the transfer has started.
  package var earliest: Date?
  package var isDiscretionary = false
  /// The number of bytes of the download that are stored.
  package var received: Int64 = 0
  /// The total length of the download in bytes; -1 if unknown.
  package var expected: Int64 = -1
  /// The number of bytes of the upload that were sent.
  package var sent: Int64 = 0
  package var answer: Answer?
  /// The redirects that have set cookies, each once.
  package private(set) var redirects: [Answer]?
  package var outcome: Outcome?

  package init(
    _ key: TransferKey, _ kind: Kind, url: String, method: String, fields: [String: String], timeout: Double
  ) {
    session = key.session
    task = key.task
    self.kind = kind
    self.url = url
    self.method = method
    self.fields = fields
    self.timeout = timeout
  }

  package var key: TransferKey { TransferKey(session: session, task: task) }

  /// Replaces the request by that of another record.
  mutating func takeRequest(of other: TaskRecord) {
    url = other.url
    method = other.method
    hasBody = other.hasBody
    fields = other.fields
    document = other.document
    ignoresCookies = other.ignoresCookies
    sendsCookies = other.sendsCookies
    timeout = other.timeout
  }

  mutating func take(_ head: ResponseHead, from url: WebURL) {
    var head = head
    // The application has requested the complete resource, not a range.
    if head.status == 206, head.contentRange?.bytes?.lowerBound == 0 {
      head.status = 200
      head.fields.remove("Content-Range")
    }
    let answer = Answer(status: head.status, fields: head.dictionary, url: url.text)
    self.answer = answer
    guard head.redirect != nil, head.fields["Set-Cookie"] != nil else { return }
    // A retry repeats its redirects.
    let others = (redirects ?? []).filter { $0.url != answer.url }
    redirects = others.suffix(NetworkLimits.redirects - 1) + [answer]
  }

  /// The base name of the task's files. The names of a session's tasks share a prefix.
  package var name: String { "\(session.lastingHash)-\(task)" }

  /// The encoded record, without the secrets of the request and without a task description over 64 KiB.
  var bytes: Data? {
    var kept = self
    kept.fields = ResumeData.withoutSecrets(fields)
    kept.url = WebURL.withoutCredentials(url)
    kept.document = document.map { WebURL.withoutCredentials($0) }
    if let text = taskDescription, text.utf8.count > 65_536 { kept.taskDescription = nil }
    let encoder = JSONEncoder()
    // A timeout may be infinite, which JSON numbers cannot represent.
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try? encoder.encode(kept)
  }

  /// Returns the records in a folder, ignoring invalid files. Blocks on the disk.
  package static func read(in folder: String) -> [TaskRecord] {
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

extension String {
  /// The hash (FNV-1a, hexadecimal), the same in every process. For file names, whose length is limited.
  package var lastingHash: String {
    String(utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }, radix: 16)
  }
}

extension ResponseHead {
  /// The fields, with the values of fields of the same name, including case, joined by commas.
  package var dictionary: [String: String] {
    Dictionary(fields.all.map { ($0.name, $0.value) }) { "\($0), \($1)" }
  }
}
