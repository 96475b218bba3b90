import AudioCore
import HostTime

extension DecodeLoop {
  /// How often it is looked what came, in seconds, while sound waits for it and the ring is full.
  static let supplyInterval = 0.1
  /// The same while no sound waits, so that the application hears of it.
  static let idleSupplyInterval = 0.25

  /// Tells the machine what is there behind what was read. Returns after how many seconds to look again; nil if more is
  /// known only when it is read on.
  ///
  /// `isPlaced`: the decoder was set to its place just now. `isMidway`: slices follow each other within milliseconds, and what
  /// is there behind the last one is told as well. So if no sound waits for it, it is enough to tell now and then.
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

  /// Tells which parts of the item are there, at most as often as one can follow. False if it was told just before.
  /// `isFinal`: that changes no more.
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
