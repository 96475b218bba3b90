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
  func tellSupply(
    _ state: inout State, isPlaced: Bool = false, isMidway: Bool = false, host: any DecodingHost
  ) -> Double? {
    guard state.isPlaced, !state.isSupplied || isPlaced, let decoder = state.decoder, let item = state.item,
      let format = state.format
    else { return nil }
    let now = host.clock.now
    if isMidway, !state.isAwaited, let told = state.supplyTold, now.seconds(since: told) < Self.supplyInterval
    {
      return nil
    }
    let supply = decoder.supply
    state.isSupplied = supply == .all
    let place = place(state, decoder, format)
    let generation = state.generation
    state.isAwaited = host.mutate {
      $0.supplied(item, supply, place: place, isPlaced: isPlaced, generation: generation)
    }
    state.supplyTold = now
    guard !state.isSupplied else { return nil }
    host.signalConductor()
    if isPlaced || !supply.isComplete { state.isExtentFinal = false }
    let isTold = tellExtent(of: item, decoder, isFinal: supply.isComplete, at: now, &state, host: host)
    if state.isAwaited { return Self.supplyInterval }
    return isTold && (supply.isComplete || supply.isFull) ? nil : Self.idleSupplyInterval
  }

  /// Reports the loaded ranges of the item, at most once every `idleSupplyInterval`. Returns false if the
  /// report was throttled.
  ///
  /// `isFinal`: whether the ranges no longer change.
  private func tellExtent(
    of item: ItemID, _ decoder: any AudioDecoder, isFinal: Bool, at now: HostTime, _ state: inout State,
    host: any DecodingHost
  ) -> Bool {
    guard !state.isExtentFinal else { return true }
    if let told = state.extentTold, now.seconds(since: told) < Self.idleSupplyInterval { return false }
    guard let extent = decoder.extent else { return true }
    state.extentTold = now
    state.isExtentFinal = isFinal
    host.mutate { $0.learn(extent, of: item) }
    return true
  }
}
