import AudioCore
import MediaTime

// What is there of media that come little by little.
extension EngineMachine {
  /// The current item is not there as a whole.
  var isShort: Bool { current.flatMap { queue[$0]?.supply }.map { !$0.isComplete } ?? false }

  /// The decoder of `item` stands at `place` seconds, and this is there behind it. `isPlaced`: it has been set there just
  /// now. Returns whether sound is held back until there is more.
  mutating func supplied(
    _ item: ItemID, _ supply: MediaSupply, place: Double, isPlaced: Bool, generation: UInt64
  ) -> Bool {
    guard generation == self.generation, cursor == .decoding(item) else { return false }
    queue.update(item) {
      $0.supply = supply
      $0.suppliedPlace = place
    }
    guard item == current else { return false }
    // Sound that flows goes on: a decoder that was set behind it has nothing to wait for.
    if isPlaced, isShort, generation == heardGeneration, !output.hasMoved || !isMoving { buffering.jump() }
    lookAtBuffer()
    return buffering.holdsBack && !isSuspended
  }

  /// What is there from the place on, in seconds of sound.
  private var supplyAhead: MediaSupply? {
    guard let current, let record = queue[current], var supply = record.supply else { return nil }
    supply.seconds = (supply.seconds + record.suppliedPlace - resting) / speed
    supply.pace = supply.pace.map { $0 / speed }
    return supply
  }

  /// Whether sound stands because all that is there was heard. Then it is held back at once: what comes frame by frame
  /// would be heard in scraps.
  private var hasRunDry: Bool {
    guard output.phase == .open, output.hasMoved, !isMoving, !output.flushPending, !output.isTakenAway,
      !buffering.holdsBack, wantsSound, holdsBackWhatIsShort, let supply = supplyAhead
    else { return false }
    return !supply.isComplete && supply.seconds < Self.dryness
  }

  /// Whether sound waits for more than its next frame. Nobody hears a file: it waits for that, whatever follows.
  var holdsBackWhatIsShort: Bool { waitsToMinimizeStalling && !isOffline }

  /// Seconds of sound that may be there when all was heard: bytes of a frame that is not whole, and what a stretcher holds.
  private static let dryness = 0.15

  /// Takes in what is there from the place on, and tells what that means.
  mutating func lookAtBuffer() {
    guard let current, let record = queue[current], let supply = supplyAhead else { return }
    if hasRunDry { buffering.runDry() }
    if holdsBackWhatIsShort { buffering.look(supply) } else { buffering.release() }
    let buffer = BufferState(supply)
    guard buffer != record.buffer else { return }
    queue.update(current) { $0.buffer = buffer }
    emit(.bufferChanged(current, buffer))
  }
}

// What is fetched, and when.
extension EngineMachine {
  /// Which parts of `item` are there.
  mutating func learn(_ extent: MediaExtent, of item: ItemID) {
    guard queue.contains(item), queue[item]?.extent != extent else { return }
    queue.update(item) { $0.extent = extent }
    emit(.extentChanged(item, extent))
  }

  /// A call of the application: how much of `item` is to be there ahead of the decoder.
  mutating func setReadAhead(_ readAhead: MediaReadAhead, of item: ItemID) {
    queue.update(item) { $0.readAhead = readAhead }
  }

  /// Seconds before the end of the current item at which the next one is opened in any case.
  private static let openAhead = 20.0

  /// The item from elsewhere that is to be open before its turn: the one behind the current item, once that is fetched to
  /// its end or near it.
  mutating func itemToOpenAhead() -> (id: ItemID, source: any MediaSource)? {
    guard actionAtItemEnd == .advance, !isDecoderUnusable, let current, let next = queue.next(of: current),
      cursor.item == current || cursor.item == next, let record = queue[next], record.source.isRemote
    else { return nil }
    if !record.isOpenedAhead {
      guard !isSuspended, let info = currentInfo, let supply = queue[current]?.supply,
        supply.isComplete || info.duration.isNumeric && info.duration.seconds - resting <= Self.openAhead
      else { return nil }
      queue.update(next) { $0.isOpenedAhead = true }
    }
    return (next, record.source)
  }

  /// `item` was opened before its turn.
  mutating func openedAhead(_ item: ItemID, info: ItemInfo) {
    guard queue.contains(item), queue[item]?.info == nil else { return }
    queue.update(item) { $0.info = info }
    emit(.itemReady(item, info))
  }

  /// `item` could not be opened before its turn: in a queue it fails now. What stops the engine is found again in its turn.
  mutating func failedAhead(_ item: ItemID, error: DecodingError) {
    guard queue.contains(item), item != current, isQueuePlayer, error.scope == .item else { return }
    emit(.itemFailed(item, error))
    depart(item)
  }
}
