import AudioCore
import HostTime

extension DecodeLoop {
  /// The interval between buffer checks in seconds while sound waits for data and the ring is full.
  static let supplyInterval = 0.1
  /// The interval between buffer checks in seconds while no sound waits, for reports to the application.
  static let idleSupplyInterval = 0.25

  /// Reports the media available after the read position to the machine. Returns the seconds until the next
  /// check; nil if only further reading can change the result.
  ///
  /// - Parameters:
  ///   - isPlaced: whether the decoder was just positioned.
  ///   - isMidway: whether more slices follow within milliseconds. Such reports are throttled to
  ///     `supplyInterval` unless sound waits for data.
  @discardableResult
  mutating func tellSupply(
    isPlaced: Bool = false, isMidway: Bool = false, to engine: PlaybackEngine
  ) -> Double? {
    guard medium.isPlaced, !medium.isSupplied || isPlaced, let decoder = medium.decoder,
      let item = medium.item, let format = medium.format
    else { return nil }
    let now = engine.clock.now
    if isMidway, !medium.isAwaited, let told = medium.supplyTold,
      now.seconds(since: told) < Self.supplyInterval
    {
      return nil
    }
    let supply = decoder.supply
    medium.isSupplied = supply == .all
    let (place, generation) = (place(decoder, format), generation)
    medium.isAwaited = engine.mutate {
      $0.supplied(item, supply, place: place, isPlaced: isPlaced, generation: generation)
    }
    medium.supplyTold = now
    guard !medium.isSupplied else { return nil }
    engine.signalConductor()
    if isPlaced || !supply.isComplete { medium.isExtentFinal = false }
    let isTold = tellExtent(of: item, decoder, isFinal: supply.isComplete, at: now, to: engine)
    if medium.isAwaited { return Self.supplyInterval }
    return isTold && (supply.isComplete || supply.isFull) ? nil : Self.idleSupplyInterval
  }

  /// Reports the loaded ranges of the item, at most once every `idleSupplyInterval`. `isFinal`: whether the
  /// ranges no longer change. Returns false if the report was throttled.
  private mutating func tellExtent(
    of item: ItemID, _ decoder: any AudioDecoder, isFinal: Bool, at now: HostTime, to engine: PlaybackEngine
  ) -> Bool {
    guard !medium.isExtentFinal else { return true }
    if let told = medium.extentTold, now.seconds(since: told) < Self.idleSupplyInterval { return false }
    guard let extent = decoder.extent else { return true }
    medium.extentTold = now
    medium.isExtentFinal = isFinal
    engine.mutate { $0.learn(extent, of: item) }
    return true
  }
}
