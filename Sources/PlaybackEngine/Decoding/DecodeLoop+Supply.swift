import AudioCore
import HostTime

extension DecodeLoop {
  /// How often it is looked what came, in seconds, while sound waits for it and the ring is full.
  static let supplyInterval = 0.1
  /// The same while no sound waits, so that the application hears of it.
  static let idleSupplyInterval = 0.25

  /// Tells the machine what is there behind what was read. Returns after how many seconds to look again; nil if more is
  /// known only when it is read on.
  @discardableResult
  func tellSupply(_ state: inout State, isPlaced: Bool = false, host: any DecodingHost) -> Double? {
    guard state.isPlaced, !state.isSupplied || isPlaced, let decoder = state.decoder, let item = state.item,
      let format = state.format
    else { return nil }
    let supply = decoder.supply
    state.isSupplied = supply == .all
    let place = place(state, decoder, format)
    let generation = state.generation
    let waits = host.mutate {
      $0.supplied(item, supply, place: place, isPlaced: isPlaced, generation: generation)
    }
    guard !state.isSupplied else { return nil }
    host.signalConductor()
    if isPlaced || !supply.isComplete { state.isExtentFinal = false }
    let isTold = tellExtent(of: item, decoder, isFinal: supply.isComplete, &state, host: host)
    if waits { return Self.supplyInterval }
    return isTold && (supply.isComplete || supply.isFull) ? nil : Self.idleSupplyInterval
  }

  /// Tells which parts of the item are there, at most as often as one can follow. False if it was told just before.
  /// `isFinal`: that changes no more.
  private func tellExtent(
    of item: ItemID, _ decoder: any AudioDecoder, isFinal: Bool, _ state: inout State, host: any DecodingHost
  ) -> Bool {
    guard !state.isExtentFinal else { return true }
    let now = host.clock.now
    if let told = state.extentTold, now.seconds(since: told) < Self.idleSupplyInterval { return false }
    guard let extent = decoder.extent else { return true }
    state.extentTold = now
    state.isExtentFinal = isFinal
    host.mutate { $0.learn(extent, of: item) }
    return true
  }
}
