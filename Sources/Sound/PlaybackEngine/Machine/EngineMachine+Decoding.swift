import AudioCore
import Clocks
import MediaTime

/// The volume of an item's decoded frames: its mix, and the ReplayGain level of its tags.
struct ItemVolume: Hashable, Sendable {
  var mix = ItemMix()
  /// The level to apply; nil for none.
  var replayGain: ReplayGain.Kind?

  /// Applies the volume to interleaved frames of `format`, of which the first is at `time`, in seconds of the
  /// item. `levels` returns the medium's levels; it is called only if a level is to be applied.
  func apply(
    to frames: UnsafeMutableBufferPointer<Float>, format: PCMFormat, from time: Double,
    levels: () -> ReplayGain
  ) {
    if mix.isSilent { frames.update(repeating: 0) }
    if let replayGain {
      let factor = levels().factor(replayGain)
      if factor != 1 { for index in frames.indices { frames[index] *= factor } }
    }
    mix.volume?.apply(
      to: frames, channelCount: format.channelCount, sampleRate: format.sampleRate, from: time)
  }
}

/// The next order for the decode worker.
enum DecodeOrder {
  /// Wait for a signal. `isAtEnd`: whether the queue has no frames after the decoded ones.
  case idle(isAtEnd: Bool)
  /// Open the item (or keep it, if open in the right format) and seek to the given start of decoding.
  case open(ItemID, any MediaSource, EngineMachine.DecodeStart, generation: UInt64)
  /// Decode the next frames of the item for the output stream with the number `stream`. Frames at or after `end`
  /// seconds of the item are cut off.
  case decode(ItemID, generation: UInt64, end: Double?, pace: Pace, volume: ItemVolume, stream: UInt64)
}

extension EngineMachine {
  mutating func nextDecodeOrder() -> DecodeOrder {
    guard !isDecoderUnusable else { return .idle(isAtEnd: true) }
    switch presentCursor {
    case .flushing:
      return .idle(isAtEnd: false)
    case .empty, .finished:
      guard let next = nextToOpen, let record = queue[next] else { return .idle(isAtEnd: true) }
      return .open(next, record.medium.source, .seconds(record.startSeconds), generation: generation)
    case .start(let item, let start):
      if item == current, hasFailedToOpen { return .idle(isAtEnd: true) }
      guard let record = queue[item] else { return .idle(isAtEnd: false) }
      return .open(item, record.medium.source, start, generation: generation)
    case .decoding(let item):
      // The device would discard frames that enter the ring while a flush is in progress.
      guard output.phase == .open || output.phase == .opening, !output.flushPending,
        synchronizedStart == nil, let record = queue[item]
      else { return .idle(isAtEnd: false) }
      return .decode(
        item, generation: generation, end: record.endSeconds,
        pace: Pace(speed: speed, algorithm: record.algorithm),
        volume: ItemVolume(mix: record.mix, replayGain: replayGain), stream: output.serial)
    }
  }

  /// The cursor, or the start of the queue if the cursor's item was heard to its end and has left the queue.
  private var presentCursor: DecodeCursor {
    if let item = cursor.item, !queue.contains(item) { .empty } else { cursor }
  }

  var nextToOpen: ItemID? {
    switch presentCursor {
    case .flushing, .decoding: nil
    case .empty: queue.first
    case .start(let item, _): item
    case .finished(let item): actionAtItemEnd == .advance ? queue.next(of: item) : nil
    }
  }

  /// Records that the decode worker opened `item`; called again while the decoder seeks to its start. Returns
  /// the output format; nil if `item` is no longer the next item, or if `generation` is outdated.
  mutating func decoderOpened(_ item: ItemID, info: ItemInfo, generation: UInt64) -> PCMFormat? {
    guard generation == self.generation, item == nextToOpen else { return nil }
    let wasReady = queue[item]?.info != nil
    queue.update(item) { $0.info = info }
    // Streams are always stereo, so that a mono item at the head of the queue does not turn its successors
    // into mono. A mono item's samples are the same in both channels.
    let own = PCMFormat(sampleRate: info.format.sampleRate, channelCount: 2)
    if format == nil || item == current && format != own && canChangeFormat {
      if output.phase == .open || output.phase == .opening { closeStream() }
      format = own
    }
    if !wasReady { emit(.itemReady(item, info)) }
    return format
  }

  /// Whether the format of the output may change, because no frame is playing or waiting to play; false for an
  /// offline output. (After a splice the device still holds frames to be heard; then `heardGeneration` is below
  /// `generation`.)
  private var canChangeFormat: Bool {
    guard !isOffline, generation == heardGeneration else { return false }
    return switch output.phase {
    case .none, .retrying: true
    case .open, .opening: !output.isRunning
    case .failed: false
    }
  }

  /// Records that the decoder reached `frame`: the requested frame, or the item's end if the item is shorter.
  /// Completes the seek that led there.
  mutating func decoderPositioned(_ item: ItemID, frame: Int64, asked: Int64, generation: UInt64) {
    guard generation == self.generation, item == nextToOpen else { return }
    cursor = .decoding(item)
    queue.update(item) { record in
      record.decodedIn = generation
      // The decoder reports the tags of frames from there on again.
      record.tags.removeAll { $0.frame >= frame }
    }
    if frame < asked, item == current, generation == heardGeneration, let info = currentInfo {
      // The item's length was unknown when the position was requested.
      rest(at: Double(frame) / Double(info.format.sampleRate))
      schedule.reset(to: resting)
      if pendingSeek != nil { callObservers() }
    }
    endSeek(finished: true)
  }

  /// Records the bit rate of the part of `item` between the seconds `start` and `end`, in bits per second.
  mutating func decoded(
    _ item: ItemID, from start: Double, to end: Double, bitRate: Double, generation: UInt64
  ) {
    guard generation == self.generation else { return }
    let heard = item == current ? resting : 0
    queue.update(item) { $0.bitRates.append(from: start, to: end, bitRate: bitRate, heard: heard) }
  }

  /// Records that `item` was decoded to its end or, with `failure`, to an error. `frameCount`: the known
  /// length.
  mutating func decoderFinished(
    _ item: ItemID, frameCount: FrameCount, failure: DecodingError?, generation: UInt64
  ) {
    guard generation == self.generation, cursor == .decoding(item) else { return }
    cursor = .finished(item)
    var changed: ItemInfo?
    queue.update(item) { record in
      record.failure = failure
      // No more data will arrive, so the supply counts as complete.
      record.supply = .all
      let before = record.info?.frameCount
      record.info?.frameCount = frameCount
      if before?.value != frameCount.value { changed = record.info }
    }
    if let changed { emit(.durationChanged(item, changed)) }
  }

  /// Handles a failure to open `item`, to seek in it, or to convert it to the output's format or the speed.
  mutating func decoderFailed(_ item: ItemID, error: DecodingError, generation: UInt64, now: HostTime) {
    guard generation == self.generation, item == nextToOpen || cursor == .decoding(item) else { return }
    emit(.itemFailed(item, error))
    let isCurrent = item == current
    if isCurrent { endSeek(finished: false) }
    // Items are decoded in queue order, so the predecessor is decoded to its end, even if not heard to its
    // end.
    let end = queue.previous(of: item).map { DecodeCursor.finished($0) } ?? .empty
    if error.scope == .engine {
      isDecoderUnusable = true
      if isCurrent { restartDecoding() } else { cursor = end }
      setRate(0, reason: .setRateFailed, now: now)
    } else if isQueuePlayer {
      cursor = end
      depart(item)
      if isCurrent { becomeCurrent(queue.first) }
    } else {
      cursor = .finished(item)
      queue.update(item) { $0.failure = error }
      guard isCurrent else { return }
      setRate(0, reason: .setRateFailed, now: now)
      endedAt = now
    }
  }
}
