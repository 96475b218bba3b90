import AudioCore
import MediaTime

// Buffering of progressively loaded media.
extension EngineMachine {
  /// Whether the current item is known not to be loaded to its end.
  var isShort: Bool { current.flatMap { queue.read($0) { $0.supply } }.map { !$0.isComplete } ?? false }

  /// Records the media available after the decoder's position, `place` seconds into `item`. `isPlaced`:
  /// whether the decoder was just positioned there.
  ///
  /// Returns whether playback waits for more data.
  mutating func supplied(
    _ item: ItemID, _ supply: MediaSupply, place: Double, isPlaced: Bool, generation: UInt64
  ) -> Bool {
    guard generation == self.generation, cursor == .decoding(item) else { return false }
    queue.update(item) {
      $0.supply = supply
      $0.suppliedPlace = place
    }
    guard item == current else { return false }
    // While sound plays, the decoder was repositioned ahead of the heard frame, so playback need not wait.
    if isPlaced, isShort, generation == heardGeneration, !output.hasMoved || !isMoving { buffering.jump() }
    lookAtBuffer()
    return buffering.holdsBack && !isSuspended
  }

  /// The media available after the present position, in seconds of output. Inlined, as a call from a mutating
  /// method copies the whole machine.
  @inline(__always)
  private var supplyAhead: MediaSupply? {
    guard let current else { return nil }
    return queue.read(current) { record in
      guard var supply = record.supply else { return nil }
      supply.seconds = (supply.seconds + record.suppliedPlace - resting) / speed
      if let pace = supply.pace { supply.pace = pace / speed }
      return supply
    }
  }

  /// Whether all available frames were heard. Playback then waits at once, because frames played as they
  /// arrive would sound chopped. Inlined like `supplyAhead`.
  @inline(__always)
  private var hasRunDry: Bool {
    guard output.phase == .open, output.hasMoved, !isMoving, !output.flushPending, !output.isTakenAway,
      !buffering.holdsBack, wantsSound, holdsBackWhatIsShort, let supply = supplyAhead
    else { return false }
    return !supply.isComplete && supply.seconds < Self.dryness
  }

  /// Whether playback may wait for more than its next frame. An offline output never waits, because nobody
  /// listens to a file in real time.
  var holdsBackWhatIsShort: Bool { waitsToMinimizeStalling && !isOffline }

  /// The seconds of media that may remain at an underrun: bytes of an incomplete frame, and frames retained
  /// by a stretcher.
  private static let dryness = 0.15

  /// Updates the buffering phase with the available media, and reports a changed buffer state.
  mutating func lookAtBuffer() {
    guard let current, let supply = supplyAhead else { return }
    if hasRunDry { buffering.runDry() }
    if holdsBackWhatIsShort { buffering.look(supply) } else { buffering.release() }
    let buffer = BufferState(supply)
    guard buffer != queue.read(current, { $0.buffer }) else { return }
    queue.update(current) { $0.buffer = buffer }
    emit(.bufferChanged(current, buffer))
  }
}

// Loaded ranges, read-ahead and opening ahead.
extension EngineMachine {
  mutating func learn(_ extent: MediaExtent, of item: ItemID) {
    guard queue.contains(item), queue[item]?.extent != extent else { return }
    queue.update(item) { $0.extent = extent }
    emit(.extentChanged(item, extent))
  }

  /// The remaining seconds of the current item at which the next item is opened in any case.
  private static let openAhead = 20.0

  /// Returns the remote item to open ahead of its turn, the successor of the current item; nil if none. Its opening
  /// begins once the current item is completely loaded or has at most `openAhead` seconds left. An item that was
  /// decoded to its end is not opened again.
  mutating func itemToOpenAhead() -> (id: ItemID, source: any MediaSource)? {
    guard actionAtItemEnd == .advance, !isDecoderUnusable, let current, let next = queue.next(of: current),
      cursor.item == current || cursor.item == next, cursor != .finished(next), let record = queue[next],
      record.medium.source.isRemote
    else { return nil }
    if !record.isOpenedAhead {
      guard !isSuspended, let info = currentInfo, let supply = queue[current]?.supply,
        supply.isComplete || info.duration.isNumeric && info.duration.seconds - resting <= Self.openAhead
      else { return nil }
      queue.update(next) { $0.isOpenedAhead = true }
    }
    return (next, record.medium.source)
  }

  mutating func openedAhead(_ item: ItemID, info: ItemInfo) {
    guard queue.contains(item), queue[item]?.info == nil else { return }
    queue.update(item) { $0.info = info }
    emit(.itemReady(item, info))
  }

  /// Records that opening `item` ahead failed. In a queue player the item fails now. Errors that affect the
  /// whole engine are ignored here and occur again in the item's turn.
  mutating func failedAhead(_ item: ItemID, error: DecodingError) {
    // Once the decoder has begun the item, its turn decides.
    guard queue.contains(item), item != current, item != cursor.item, isQueuePlayer, error.scope == .item
    else { return }
    emit(.itemFailed(item, error))
    depart(item)
  }
}
