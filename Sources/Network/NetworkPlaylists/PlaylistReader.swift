package import Clocks
package import Transfer

/// The result of reading a URL that may lead to a playlist.
package struct PlaylistAnswer: Sendable {
  package struct Medium: Hashable, Sendable {
    package var entry: NetworkPlaylist.Entry
    /// The addresses that the medium may have. Media that a public server names must not have private
    /// addresses.
    package var reach: NetworkReach

    package init(_ entry: NetworkPlaylist.Entry, reach: NetworkReach) {
      self.entry = entry
      self.reach = reach
    }
  }

  package var media: [Medium] = []
  package var problems: [NetworkPlaylist.Problem] = []
  /// The reason why the playlist was not read, or not completely.
  package var failure: String?
  /// The number of media before the first skipped entries; nil if no entry was skipped. More media may follow,
  /// because only some entries of a nested playlist may be skipped.
  package var completeCount: Int?
  /// Whether the URL leads to a playlist. If false and `failure` is nil, it leads to a medium.
  package var isPlaylist = false

  package init() {}
}

/// Reads the playlist at a URL and the playlists that it names. Blocks on the network, for at most about
/// `NetworkLimits.playlistTime` seconds. `interruption` is called ten times a second; a reason that it
/// returns cancels the requests and becomes the failure.
package typealias PlaylistReading =
  @Sendable (WebURL, Credentials?, NetworkReach, _ interruption: () -> String?) -> PlaylistAnswer

/// Reads a playlist from the network, and the playlists that it names. Releasing the object ends the reading.
/// The limits are `NetworkLimits.playlistDepth` levels, and in total `playlistEntries` entries,
/// `playlistRequests` requests and `playlistTime` seconds. Each playlist may be as long as its format allows,
/// and must not contain itself.
package final class PlaylistReader: Sendable {
  private struct Pending {
    var entry: NetworkPlaylist.Entry
    var reach: NetworkReach
    /// The playlists that contain the entry, outermost first.
    var chain: [WebURL]
  }

  private enum Step {
    case read(Pending)
    /// Record that entries beyond this limit are missing here.
    case skip(beyond: Int)
  }

  private struct Transferring {
    var pending: Pending
    var request: TransferRequest
    var redirects = RedirectRule()
    var address: PeerAddress?
    var head: ResponseHead?
    var bytes: [UInt8] = []
    var kind: NetworkPlaylist.Kind?
  }

  private struct State {
    /// The steps still to be taken, the next one last.
    var pending: [Step] = []
    var present: Transferring?
    var answer = PlaylistAnswer()
    var requests = 0
    /// The number of the current request. Events of earlier requests are ignored.
    var attempt = 0
    var onEnd: (@Sendable (PlaylistAnswer) -> Void)?
  }

  private let settings: RequestSettings
  private let first: WebURL
  private let clock: any HostClock
  private let deadline: HostTime
  private let state: WorkerState<State>
  private let runner: TransferRunner

  /// Starts to read `url` immediately. Fields and credentials of the settings are sent to the origin of `url` only.
  /// `onEnd` is called once with the result, on a worker, unless the object is released before.
  package init(
    _ url: WebURL, settings: RequestSettings, transport: any HTTPTransport, clock: any HostClock,
    onEnd: @escaping @Sendable (PlaylistAnswer) -> Void
  ) {
    self.settings = settings
    self.clock = clock
    first = url
    deadline = clock.now.advanced(bySeconds: NetworkLimits.playlistTime)
    var state = State()
    state.onEnd = onEnd
    let entry = NetworkPlaylist.Entry(url: url, credentials: settings.credentials)
    state.pending = [.read(Pending(entry: entry, reach: settings.reach, chain: []))]
    self.state = WorkerState(state)
    runner = TransferRunner(transport: transport)
    runner.begin("continuo-list", on: clock) { [weak self] in self?.step() ?? .whenSignalled }
  }

  deinit { runner.end() }

  private func step() -> WorkerNext {
    let inputs = runner.takeInputs()
    let end: (call: @Sendable (PlaylistAnswer) -> Void, answer: PlaylistAnswer)? = state.use { state in
      for case .event(let event, let attempt) in inputs {
        // Remaining events of a redirected request do not belong to the next one.
        guard state.present != nil, attempt == state.attempt else { continue }
        take(event, &state)
      }
      if clock.now >= deadline, state.onEnd != nil {
        cancel(&state)
        stop("the playlist took longer than \(Int(NetworkLimits.playlistTime)) s", &state)
      }
      while state.present == nil, let next = state.pending.popLast() {
        switch next {
        case .read(let entry): begin(entry, &state)
        case .skip(let limit): skip(Self.excess(limit, of: "entries"), &state)
        }
      }
      guard state.present == nil, let onEnd = state.onEnd.take() else { return nil }
      return (onEnd, state.answer)
    }
    runner.goOn()
    if let end { end.call(end.answer) }
    return state.use { $0.onEnd == nil } ? .whenSignalled : .at(deadline)
  }

  /// Requests an entry if it is the first URL or has the file name of a playlist. Any other entry is a
  /// medium.
  private func begin(_ next: Pending, _ state: inout State) {
    let isFirst = next.chain.isEmpty
    guard isFirst || NetworkPlaylist.kind(named: next.entry.url) != nil else {
      guard state.answer.media.count < NetworkLimits.playlistEntries else {
        return stop(Self.excess(NetworkLimits.playlistEntries, of: "entries"), &state)
      }
      state.answer.media.append(PlaylistAnswer.Medium(next.entry, reach: next.reach))
      return
    }
    guard !next.chain.contains(next.entry.url) else {
      return fail("a playlist that contains itself", of: next, &state)
    }
    guard next.chain.count < NetworkLimits.playlistDepth else {
      return fail("more than \(NetworkLimits.playlistDepth) playlists deep", of: next, &state)
    }
    guard state.requests < NetworkLimits.playlistRequests else {
      return stop(Self.excess(NetworkLimits.playlistRequests, of: "playlists"), &state)
    }
    let request = request(for: next.entry.url, next.entry.credentials, reach: next.reach)
    send(Transferring(pending: next, request: request), &state)
  }

  private func request(for url: WebURL, _ credentials: Credentials?, reach: NetworkReach) -> TransferRequest {
    var request = settings.request(for: url, first: first, from: nil, if: nil, wantsMetadata: false)
    if let credentials { request.credentials = credentials }
    request.reach = reach
    return request
  }

  private func send(_ transferring: Transferring, _ state: inout State) {
    state.present = transferring
    state.requests += 1
    state.attempt += 1
    _ = runner.carryOut(.start(transferring.request, attempt: state.attempt))
  }

  /// Cancels the request in progress. Events of the request that have already arrived are ignored.
  private func cancel(_ state: inout State) {
    state.attempt += 1
    state.present = nil
    runner.cancelTransfer()
  }

  private func take(_ event: TransferEvent, _ state: inout State) {
    guard var present = state.present else { return }
    switch event {
    case .queued: break
    case .connected(let address): state.present?.address = address
    case .head(let head):
      if let location = head.redirect { return redirect(present, to: location, &state) }
      guard head.status == 200 else {
        return end(present, "\(present.request.url.host) answered \(head.status)", &state)
      }
      state.present?.head = head
    case .body(let bytes):
      present.bytes += bytes
      state.present = present
      // 1,024 bytes are enough to distinguish a playlist from audio, which may be endless.
      if present.kind == nil, present.bytes.count >= 1_024 { recognize(&state) }
      guard let kind = state.present.map(\.kind) else { return }
      guard present.bytes.count > kind?.byteLimit ?? NetworkLimits.playlist else { return }
      end(present, "\(NetworkPlaylist.Refusal.tooLong)", &state)
    case .end:
      if present.kind == nil { recognize(&state) }
      guard let present = state.present, let kind = present.kind else { return }
      state.present = nil
      read(present, kind, &state)
    case .failure(let failure): end(present, failure.message, &state)
    }
  }

  private func redirect(_ present: Transferring, to location: String, _ state: inout State) {
    cancel(&state)
    var following = present
    do throws(TransferFailure) {
      let next = try following.redirects.follow(location, from: present.request.url, at: present.address)
      following.request = request(
        for: next.url, next.credentials, reach: following.redirects.reach(present.pending.reach))
      following.address = nil
      send(following, &state)
    } catch {
      end(present, error.message, &state)
    }
  }

  /// Determines whether the response is a playlist. A response that is not a playlist counts as a medium,
  /// whose format the player checks.
  private func recognize(_ state: inout State) {
    guard let present = state.present else { return }
    let kind = NetworkPlaylist.kind(
      contentType: present.head?.fields["Content-Type"], url: present.request.url, beginning: present.bytes)
    state.present?.kind = kind
    guard kind == nil else { return }
    cancel(&state)
    if !present.pending.chain.isEmpty {
      state.answer.media.append(
        PlaylistAnswer.Medium(present.pending.entry, reach: present.pending.reach))
    }
  }

  private func read(_ present: Transferring, _ kind: NetworkPlaylist.Kind, _ state: inout State) {
    if present.pending.chain.isEmpty { state.answer.isPlaylist = true }
    do throws(NetworkPlaylist.Refusal) {
      let playlist = try NetworkPlaylist(present.bytes, kind: kind, from: present.request.url)
      let room = NetworkLimits.playlistEntries - state.answer.problems.count
      state.answer.problems += playlist.problems.prefix(max(0, room))
      let isPublic = present.address?.isPublic == true
      let reach = isPublic ? .publicOnly : present.request.reach
      let chain = present.pending.chain + [present.pending.entry.url]
      // Entries beyond the limit are dropped here, except one, by which `begin` detects the excess.
      let left = NetworkLimits.playlistEntries + 1 - state.answer.media.count
      if let limit = playlist.cut { state.pending.append(.skip(beyond: limit)) }
      state.pending += playlist.entries.prefix(max(0, left)).reversed().map {
        .read(Pending(entry: $0, reach: reach, chain: chain))
      }
      if playlist.entries.isEmpty, playlist.problems.isEmpty {
        fail("an empty playlist", of: present.pending, &state)
      }
    } catch {
      fail("\(error)", of: present.pending, &state)
    }
  }

  private static func excess(_ limit: Int, of what: String) -> String {
    "more than \(limit) \(what); remaining entries skipped"
  }

  /// Records that entries are missing at the current end of the answer.
  private func skip(_ reason: String, _ state: inout State) {
    state.answer.completeCount = state.answer.completeCount ?? state.answer.media.count
    state.answer.failure = state.answer.failure ?? reason
  }

  /// Skips all entries still to be read.
  private func stop(_ reason: String, _ state: inout State) {
    state.pending = []
    skip(reason, &state)
  }

  private func end(_ present: Transferring, _ reason: String, _ state: inout State) {
    cancel(&state)
    if present.kind != nil, present.pending.chain.isEmpty { state.answer.isPlaylist = true }
    fail(reason, of: present.pending, &state)
  }

  private func fail(_ reason: String, of pending: Pending, _ state: inout State) {
    guard !pending.chain.isEmpty else {
      state.answer.failure = reason
      return
    }
    guard state.answer.problems.count < NetworkLimits.playlistEntries else { return }
    state.answer.problems.append(
      NetworkPlaylist.Problem(text: pending.entry.url.textForMessages, reason: reason))
  }
}
