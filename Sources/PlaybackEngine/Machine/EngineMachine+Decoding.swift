import AudioCore
import HostTime
import MediaTime

/// What the decode worker is to do next.
enum DecodeOrder {
  /// Nothing until signalled. `isAtEnd`: nothing follows what was decoded.
  case idle(isAtEnd: Bool)
  /// Open the item (or keep it, if it is open in the right format) and go to the place.
  case open(ItemID, any MediaSource, EngineMachine.DecodeStart, generation: UInt64)
  /// Go on in the item, for the stream of that number; its frames end at `end` seconds at the latest.
  case decode(ItemID, generation: UInt64, end: Double?, pace: Pace, stream: UInt64)
}

extension EngineMachine {
  mutating func nextDecodeOrder() -> DecodeOrder {
    guard !isDecoderUnusable else { return .idle(isAtEnd: true) }
    switch presentCursor {
    case .flushing:
      return .idle(isAtEnd: false)
    case .empty, .finished:
      guard let next = nextToOpen, let record = queue[next] else { return .idle(isAtEnd: true) }
      return .open(next, record.source, .seconds(record.startSeconds), generation: generation)
    case .start(let item, let start):
      guard let record = queue[item] else { return .idle(isAtEnd: false) }
      return .open(item, record.source, start, generation: generation)
    case .decoding(let item):
      // While a flush is under way nothing may enter the ring: the device would throw it away with the rest.
      guard output.phase == .open || output.phase == .opening, !output.flushPending,
        synchronizedStart == nil, let record = queue[item]
      else { return .idle(isAtEnd: false) }
      return .decode(
        item, generation: generation, end: record.endSeconds,
        pace: Pace(speed: speed, algorithm: record.algorithm), stream: output.serial)
    }
  }

  /// The cursor, or the start of the queue if its item has left: it was heard to its end, and what follows it is the
  /// first one now.
  private var presentCursor: DecodeCursor {
    if let item = cursor.item, !queue.contains(item) { .empty } else { cursor }
  }

  /// The item that the decoder is to open next.
  var nextToOpen: ItemID? {
    switch presentCursor {
    case .flushing, .decoding: nil
    case .empty: queue.first
    case .start(let item, _): item
    case .finished(let item): actionAtItemEnd == .advance ? queue.next(of: item) : nil
    }
  }

  /// The decode worker opened `item`. Returns the format to decode to, or nil if that is no longer wanted. Told again
  /// while the decoder looks for its place.
  mutating func decoderOpened(_ item: ItemID, info: ItemInfo, generation: UInt64) -> PCMFormat? {
    guard generation == self.generation, item == nextToOpen else { return nil }
    let wasReady = queue[item]?.info != nil
    queue.update(item) { $0.info = info }
    // Two channels whatever the first item has, so that a mono item at the head of the queue does not turn what
    // follows into mono; a mono item's samples are the same in both.
    let own = PCMFormat(sampleRate: info.format.sampleRate, channelCount: 2)
    if format == nil || item == current && format != own && canChangeFormat {
      if output.phase == .open || output.phase == .opening { closeStream() }
      format = own
    }
    if !wasReady { emit(.itemReady(item, info)) }
    return format
  }

  /// Nothing of the present stream sounds or waits to sound. (A splice leaves frames with the device that are to
  /// be heard, and the two generations apart.)
  private var canChangeFormat: Bool {
    guard !isOffline, generation == heardGeneration else { return false }
    switch output.phase {
    case .none, .retrying: return true
    case .open, .opening: return !output.isRunning
    case .failed: return false
    }
  }

  /// The decoder went to `frame`, where the cursor said or, where the item has no such place, to its end; a seek
  /// that led there is over.
  mutating func decoderPositioned(_ item: ItemID, frame: Int64, asked: Int64, generation: UInt64) {
    guard generation == self.generation, item == nextToOpen else { return }
    cursor = .decoding(item)
    queue.update(item) { record in
      record.decodedIn = generation
      // It says again what belongs to frames from there on.
      record.tags.removeAll { $0.frame >= frame }
    }
    if frame < asked, item == current, generation == heardGeneration, let info = currentInfo {
      // The length was not known when the place was asked for.
      rest(at: Double(frame) / Double(info.format.sampleRate))
      schedule.reset(to: resting)
      if pendingSeek != nil { callObservers() }
    }
    endSeek(finished: true)
  }

  /// A part of `item` was decoded, from second `start` of it to second `end`, and has that many bits per second.
  mutating func decoded(
    _ item: ItemID, from start: Double, to end: Double, bitRate: Double, generation: UInt64
  ) {
    guard generation == self.generation else { return }
    let heard = item == current ? resting : 0
    queue.update(item) { $0.bitRates.append(from: start, to: end, bitRate: bitRate, heard: heard) }
  }

  /// `item` was decoded to its end; `frameCount` is what the decoder knows now. Or to where it broke off.
  mutating func decoderFinished(
    _ item: ItemID, frameCount: FrameCount, failure: DecodingError?, generation: UInt64
  ) {
    guard generation == self.generation, cursor == .decoding(item) else { return }
    cursor = .finished(item)
    var changed: ItemInfo?
    queue.update(item) { record in
      record.failure = failure
      // There is nothing more to wait for.
      record.supply = .all
      let before = record.info?.frameCount
      record.info?.frameCount = frameCount
      if before?.value != frameCount.value { changed = record.info }
    }
    if let changed { emit(.durationChanged(item, changed)) }
  }

  /// `item` could not be opened, or not at the place asked for, or not in the output's format.
  mutating func decoderFailed(_ item: ItemID, error: DecodingError, generation: UInt64, now: HostTime) {
    guard generation == self.generation, item == nextToOpen || cursor == .decoding(item) else { return }
    emit(.itemFailed(item, error))
    if item == current { endSeek(finished: false) }
    if error.scope == .engine {
      isDecoderUnusable = true
      if item == current { restartDecoding() } else { goOnBehindPredecessor(of: item) }
      setRate(0, reason: .setRateFailed, now: now)
    } else if isQueuePlayer {
      let isCurrent = item == current
      goOnBehindPredecessor(of: item)
      depart(item)
      if isCurrent { becomeCurrent(queue.first) }
    } else {
      cursor = .finished(item)
      queue.update(item) { $0.failure = error }
      guard item == current else { return }
      setRate(0, reason: .setRateFailed, now: now)
      endedAt = now
    }
  }

  /// Sets the decoder to where it was before it came to `item`: items are decoded in the queue's order, so behind
  /// the end of the one in front of it, whatever of that one was heard meanwhile.
  private mutating func goOnBehindPredecessor(of item: ItemID) {
    cursor = queue.previous(of: item).map { .finished($0) } ?? .empty
  }
}
