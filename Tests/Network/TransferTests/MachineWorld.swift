import Clocks
import TestSupport
import Transfer

/// A machine with a store in memory, a server that answers as the test says, and a time that passes as it is told.
struct MachineWorld {
  /// What a server does with a request.
  struct Answer {
    var head: ResponseHead
    var body: [UInt8] = []
    /// What comes behind the body; nil: nothing more, and the connection stays.
    var ending: TransferEvent? = .end
    /// Seconds before the head, and between two pieces.
    var wait = 0.01
    var pace = 0.001
    /// Bytes of a piece at most.
    var piece = 16_384
    /// Bytes of the body that are sent before the ending.
    var cut = Int.max
    var endingWhenCut: TransferEvent? = .failure(TransferFailure(.lost, "cut"))
    /// Where that connection leads.
    var address = PeerAddress(bytes: [127, 0, 0, 1])
    /// Instead of all of it: no connection is made.
    var refusal: TransferEvent?
  }

  struct Store: StoredBytes {
    var intervals = IntervalSet()
    var bytes: [UInt8] = []

    mutating func put(_ new: ArraySlice<UInt8>, at offset: Int64) {
      let end = Int(offset) + new.count
      if bytes.count < end { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
      bytes.replaceSubrange(Int(offset)..<end, with: new)
      intervals.insert(offset..<Int64(end))
    }

    func holds(_ other: ArraySlice<UInt8>, at offset: Int64) -> Bool {
      bytes[Int(offset)..<Int(offset) + other.count] == other
    }
  }

  private struct Running {
    var attempt: Int
    var events: [TransferEvent]
    var due: HostTime
    var pace: Double
    var isPaused = false
  }

  var machine: TransferMachine
  var store = Store()
  var now = HostTime(nanoseconds: 0)
  var notes: [(at: Double, note: TransferNote)] = []
  var requests: [TransferRequest] = []
  var starts: [Double] = []
  var pauses: [Bool] = []
  /// Whether the reader takes whatever there is at once.
  var readsOn = true
  /// The largest queue of a server and how often bytes were stored twice: both are to stay at 0.
  var storedTwice = 0
  private var running: Running?
  private let answer: (TransferRequest, Int) -> Answer

  init(
    _ url: String = "http://h/a.mp3", settings: RequestSettings = RequestSettings(userAgent: "Continuo/1"),
    times: TransferTimes = TransferTimes(), seed: UInt64 = 1,
    answer: @escaping (TransferRequest, Int) -> Answer
  ) throws {
    machine = TransferMachine(
      url: try WebURL.read(url).url, settings: settings, times: times, seed: seed, now: now)
    self.answer = answer
    tell(.time)
  }

  var complete: Bool { notes.contains { if case .complete = $0.note { true } else { false } } }
  var retries: Int { notes.count { if case .retry = $0.note { true } else { false } } }
  /// The `Range` and `If-Range` of each request.
  var ranges: [String] {
    requests.map { ($0.fields["Range"] ?? "-") + ($0.fields["If-Range"].map { " if \($0)" } ?? "") }
  }

  mutating func tell(_ input: TransferInput) {
    if case .event(.failure, let attempt) = input, running?.attempt == attempt { running = nil }
    for command in machine.handle(input, at: now, store: store) {
      switch command {
      case .start(let request, let attempt):
        precondition(running == nil, "two transfers at once")
        requests.append(request)
        starts.append(now.seconds)
        running = plan(answer(request, requests.count), attempt)
      case .cancel(let attempt): if running?.attempt == attempt { running = nil }
      case .setPaused(let isPaused, let attempt):
        pauses.append(isPaused)
        guard running?.attempt == attempt else { continue }
        running?.isPaused = isPaused
        running?.due = now
      case .store(let bytes, let offset):
        if store.intervals.end(from: offset) > offset
          || (store.intervals.start(after: offset) ?? .max) < offset + Int64(bytes.count)
        {
          storedTwice += 1
        }
        store.put(bytes, at: offset)
      case .forget: store = Store()
      case .note(let note): notes.append((now.seconds, note))
      }
    }
    if readsOn, !machine.isLive { readOn() }
  }

  private mutating func readOn() {
    let edge = store.intervals.end(from: machine.readingPlace)
    if edge > machine.readingPlace {
      readsOn = false
      tell(.read(from: edge))
      readsOn = true
    }
  }

  private func plan(_ answer: Answer, _ attempt: Int) -> Running {
    var events: [TransferEvent] = []
    if let refusal = answer.refusal {
      events = [refusal]
    } else {
      events = [.connected(answer.address), .head(answer.head)]
      let sent = answer.body.prefix(answer.cut)
      var rest = sent
      while !rest.isEmpty {
        events.append(.body(Array(rest.prefix(answer.piece))))
        rest = rest.dropFirst(answer.piece)
      }
      if let ending = sent.count < answer.body.count ? answer.endingWhenCut : answer.ending {
        events.append(ending)
      }
    }
    return Running(
      attempt: attempt, events: events.reversed(), due: now.advanced(bySeconds: answer.wait),
      pace: answer.pace)
  }

  /// Lets time pass until that second, or until the machine has ended and nothing is left to happen.
  mutating func run(until end: Double, steps: Int = 2_000_000) {
    for _ in 0..<steps {
      let event = running.flatMap { $0.isPaused || $0.events.isEmpty ? nil : $0.due }
      guard let next = [event, machine.wake].compactMap({ $0 }).min(), next.seconds <= end else {
        now = HostTime(nanoseconds: Int64(end * 1e9))
        return
      }
      now = max(now, next)
      if event == next, var present = running, let happens = present.events.popLast() {
        present.due = now.advanced(bySeconds: present.pace)
        running = present
        switch happens {
        case .end, .failure: running = nil
        default: break
        }
        tell(.event(happens, attempt: present.attempt))
      } else {
        tell(.time)
      }
    }
    preconditionFailure("the machine never rests")
  }
}

/// A server with a file, as it should be; tests change what it says.
struct FileServer {
  var content: [UInt8]
  var tag: String? = "\"1\""
  var hasRanges = true
  var hasLength = true

  func answer(_ request: TransferRequest) -> MachineWorld.Answer {
    var first = 0
    if hasRanges, let range = request.fields["Range"], request.fields["If-Range"].map({ $0 == tag }) ?? true {
      first = Int(range.dropFirst(6).dropLast()) ?? 0
      guard first < content.count else {
        return .init(head: ResponseHead(status: 416, fields: [("Content-Range", "bytes */\(content.count)")]))
      }
      var head = ResponseHead(
        status: 206, fields: [("Content-Range", "bytes \(first)-\(content.count - 1)/\(content.count)")])
      if let tag { head.fields.add("ETag", tag) }
      return .init(head: head, body: Array(content[first...]))
    }
    var head = ResponseHead(status: 200)
    if let tag { head.fields.add("ETag", tag) }
    if hasLength { head.fields.add("Content-Length", "\(content.count)") }
    return .init(head: head, body: content)
  }
}
