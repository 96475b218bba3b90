import Continuo
import Foundation
import MediaTime
import QueuePlayer

/// Carries out a plan on players of one environment, with an application on a device around them, and collects what
/// breaks an invariant.
@MainActor
final class Walk {
  private let plan: WalkPlan
  private let environment: PlaybackEnvironment
  private let device: Device
  private let holdMainQueue: @MainActor (Bool) -> Void
  private(set) var faults: [String] = []
  private(set) var life = 0
  private var watches: [WalkWatch?] = [nil, nil]
  private var seeks: [Seek] = []
  /// Items that are out of their queue, or maybe still in one.
  private var pool: [AVPlayerItem] = []
  private var names: [ObjectIdentifier: String] = [:]
  private var armed: WalkOperation?
  private var isHeld = false
  private var weakObjects: [WeakObject] = []
  /// Written where a walk is followed by hand.
  private let isTraced = ProcessInfo.processInfo.environment["CONTINUO_WALK"] != nil

  private struct WeakObject {
    weak var object: AnyObject?
    let name: String
  }

  /// A seek that somebody waits for.
  @MainActor
  private final class Seek {
    weak var player: AVQueuePlayer?
    let name: String
    var results: [Bool] = []
    /// Its player was released, or the application ended: it may stay without an answer.
    var isExempt = false

    init(of player: AVQueuePlayer, _ name: String) {
      self.player = player
      self.name = name
    }
  }

  init(
    _ plan: WalkPlan, environment: PlaybackEnvironment, device: Device,
    holdMainQueue: @escaping @MainActor (Bool) -> Void
  ) {
    self.plan = plan
    self.environment = environment
    self.device = device
    self.holdMainQueue = holdMainQueue
    device.connect(environment)
  }

  func fault(_ text: String) { if faults.count < 20 { note("FAULT \(text)"); faults.append(text) } }

  private func note(_ text: @autoclosure () -> String) { if isTraced { print(text()) } }

  /// Something was told to who observes since that life.
  func told(_ what: String, life: Int) {
    note("    \(what)")
    let state = device.state
    if life != self.life { fault("\(what) told of life \(life) in life \(self.life)") }
    if state == .suspended || state == .notRunning { fault("\(what) told while \(state)") }
  }

  func handlerWasCalled() {
    guard let operation = armed, !isStopped else { return }
    armed = nil
    if operation.isOfApplication { perform(operation) }
  }

  private var isStopped: Bool { device.state == .suspended || device.state == .notRunning }

  // MARK: The walk

  /// Does everything, and what lets each queue come to its end, with `pass` to let seconds pass. Returns what is wrong.
  func run(pass: @MainActor (Double) async -> Void) async -> [String] {
    start()
    await pass(0)
    for step in plan.steps {
      var rest = Double(step.wait) / 1000
      while rest > 0 {
        await pass(min(rest, 0.05))
        rest -= 0.05
        look()
      }
      note("\(step)")
      await carryOut(step.operation)
      check("\(step.operation)")
      if !plan.waitsAtOnce { await pass(0) }
    }
    await end(pass: pass)
    return faults
  }

  private func start() {
    device.launch()
    try? environment.audioSession.setCategory(.playback)
  }

  private func look() {
    guard !isStopped else { return }
    for watch in watches.compactMap(\.self) { watch.checkPlace() }
  }

  private func check(_ what: String) {
    guard !isStopped else { return }
    var owners: [ObjectIdentifier: String] = [:]
    for watch in watches.compactMap(\.self) {
      watch.checkQueue(after: what)
      for item in watch.player.items() {
        if let other = owners.updateValue(watch.name, forKey: ObjectIdentifier(item)) {
          fault("\(name(item)) is in \(other) and \(watch.name)")
        }
      }
    }
    look()
  }

  /// Lets everything play to its end, and go.
  private func end(pass: @MainActor (Double) async -> Void) async {
    note("the end")
    armed = nil
    for happening in [WalkOperation.endInterruption(shouldResume: true), .launch, .unlock, .foreground] {
      await happen(happening)
    }
    await pass(0.01)
    for (player, watch) in watches.enumerated() {
      guard let watch else { continue }
      for item in watch.player.items() { item.forwardPlaybackEndTime = .invalid }
      perform(.actionAtEnd(player: player, 0))
      perform(.waits(player: player, true))
      perform(.play(player: player))
    }
    var rounds = 0
    while watches.contains(where: { $0?.player.currentItem != nil }), rounds < 400 {
      await pass(0.05)
      rounds += 1
    }
    check("the end")
    for watch in watches.compactMap(\.self)
    where watch.player.currentItem != nil || !watch.player.items().isEmpty {
      fault(
        "\(watch.name) never ends: \(names(watch.player.items())), rate \(watch.player.rate), \(watch.player.timeControlStatus), at \(watch.player.currentTime().seconds)"
      )
    }
    await pass(0.1)
    for seek in seeks where seek.results.count > 1 || seek.results.isEmpty && !seek.isExempt {
      fault("\(seek.name) answered \(seek.results)")
    }
    for index in watches.indices {
      if index == 0 { watches[index]?.removeTimers() }
      watches[index]?.close()
      watches[index] = nil
    }
    pool = []
    rounds = 0
    while weakObjects.contains(where: { $0.object != nil }), rounds < 200 {
      await pass(0.02)
      rounds += 1
    }
    for left in weakObjects where left.object != nil { fault("\(left.name) is never freed") }
  }

  // MARK: Objects

  func name(_ item: AVPlayerItem) -> String { names[ObjectIdentifier(item)] ?? "?" }
  func names(_ items: [AVPlayerItem]) -> [String] { items.map(name) }

  /// Who has `item` in its queue.
  func owner(of item: AVPlayerItem) -> WalkWatch? {
    watches.compactMap(\.self).first { $0.queue.contains(item) }
  }

  private func watch(_ player: Int) -> WalkWatch {
    if let watch = watches[player] { return watch }
    let new = AVQueuePlayer(items: [], environment: environment)
    let watch = WalkWatch(new, name: "player \(player)", walk: self)
    weakObjects.append(WeakObject(object: new, name: watch.name))
    watches[player] = watch
    return watch
  }

  private func item(_ medium: Int) -> AVPlayerItem {
    let medium = WalkMedium.all[medium]
    let item = AVPlayerItem(
      asset: AVURLAsset(url: URL(fileURLWithPath: "/\(medium.name)"), environment: environment))
    names[ObjectIdentifier(item)] = "\(medium.name)\(weakObjects.count)"
    weakObjects.append(WeakObject(object: item, name: name(item)))
    pool.append(item)
    return item
  }

  // MARK: Operations

  private func carryOut(_ operation: WalkOperation) async {
    switch operation {
    case .holdMainQueue: hold(true)
    case .releaseMainQueue: hold(false)
    default:
      if !operation.isOfApplication { await happen(operation) } else if !isStopped { perform(operation) }
    }
  }

  /// What the application does.
  private func perform(_ operation: WalkOperation) {
    switch operation {
    case .insert(let player, let medium, let after): insert(item(medium), watch(player), after: after)
    case .insertAgain(let player, let index):
      guard !pool.isEmpty else { return }
      let item = pool[index % pool.count]
      if watch(player).player.canInsert(item, after: nil) { insert(item, watch(player), after: nil) }
    case .remove(let player, let index):
      let watch = watch(player)
      guard let item = pick(index, of: watch) else { return }
      if item === watch.player.currentItem { watch.overtake() }
      watch.queue.removeAll { $0 === item }
      watch.player.remove(item)
    case .removeAll(let player):
      watch(player).overtake()
      watch(player).queue = []
      watch(player).player.removeAllItems()
    case .advance(let player):
      let watch = watch(player)
      watch.overtake()
      watch.queue.removeAll { $0 === watch.player.currentItem }
      watch.player.advanceToNextItem()
    case .replace(let player, let medium):
      let watch = watch(player)
      let new = medium.map(item)
      let old = watch.player.currentItem
      watch.overtake()
      watch.queue = new.map { new in [new] + watch.queue.filter { $0 !== old } } ?? []
      if let new { watch.add(new) }
      watch.player.replaceCurrentItem(with: new)
    case .seek(let player, let milliseconds): seek(watch(player), nil, milliseconds)
    case .seekItem(let player, let index, let milliseconds):
      if let item = pick(index, of: watch(player)) { seek(watch(player), item, milliseconds) }
    case .cancelSeeks(let player, let index):
      if let item = pick(index, of: watch(player)) { cancelSeeks(watch(player), item) }
    case .endTime(let player, let index, let milliseconds):
      guard let item = pick(index, of: watch(player)) else { return }
      watch(player).restart(item)
      item.forwardPlaybackEndTime = milliseconds.map { CMTime(value: Int64($0), timescale: 1000) } ?? .invalid
    case .rate(let player, let rate): watch(player).player.rate = rate
    case .play(let player): watch(player).player.play()
    case .pause(let player): watch(player).player.pause()
    case .playImmediately(let player, let rate): watch(player).player.playImmediately(atRate: rate)
    case .start(let player, let rate, let place, let milliseconds):
      start(watch(player), rate, at: place, in: milliseconds)
    case .actionAtEnd(let player, let value):
      watch(player).player.actionAtItemEnd = AVPlayer.ActionAtItemEnd(rawValue: value) ?? .advance
    case .volume(let player, let volume): watch(player).player.volume = volume
    case .mute(let player, let isMuted): watch(player).player.isMuted = isMuted
    case .waits(let player, let waits): watch(player).player.automaticallyWaitsToMinimizeStalling = waits
    case .addObservers(let player): watch(player).addTimer()
    case .removeObservers(let player): watch(player).removeTimers()
    case .release(let player): release(player)
    case .inHandler(let inner): armed = inner
    default: break
    }
  }

  private func hold(_ holds: Bool) {
    guard holds != isHeld else { return }
    isHeld = holds
    holdMainQueue(holds)
  }

  /// What a person or the system does: never inside a turn of the application. The walk goes on when it is done.
  private func happen(_ operation: WalkOperation) async {
    hold(false)
    switch operation {
    case .home: await device.pressHomeButton()
    case .foreground: await device.foreground()
    case .lock: await device.lock()
    case .unlock: await device.unlock()
    case .interrupt: await device.beginInterruption()
    case .endInterruption(let shouldResume): await device.endInterruption(shouldResume: shouldResume)
    case .launch: await device.launch()
    case .terminate:
      guard device.state != .notRunning else { return }
      await device.terminate()
      // The objects of the life that ended are no more the application's.
      for seek in seeks { seek.isExempt = true }
      for watch in watches { watch?.close() }
      watches = [nil, nil]
      pool = []
      armed = nil
      life += 1
    default: break
    }
  }

  private func pick(_ index: Int, of watch: WalkWatch) -> AVPlayerItem? {
    watch.queue.isEmpty ? nil : watch.queue[index % watch.queue.count]
  }

  private func insert(_ item: AVPlayerItem, _ watch: WalkWatch, after index: Int?) {
    let after = index.flatMap { pick($0, of: watch) }
    guard watch.player.canInsert(item, after: after) else { return }
    let place =
      after.flatMap { after in watch.queue.firstIndex { $0 === after } }.map { $0 + 1 } ?? watch.queue.count
    watch.queue.insert(item, at: place)
    watch.add(item)
    watch.player.insert(item, after: after)
    // Where what it was to follow has ended untold, it follows what plays.
    let items = watch.player.items()
    if index != nil, items.filter({ $0 !== item }) == watch.queue.filter({ $0 !== item }),
      items.contains(item)
    {
      watch.queue = items
    }
  }

  private func seek(_ watch: WalkWatch, _ item: AVPlayerItem?, _ milliseconds: Int) {
    let player = watch.player
    guard let target = item ?? player.currentItem else { return }
    let time = CMTime(value: Int64(milliseconds), timescale: 1000)
    let isCurrent = target === player.currentItem
    let pending = isCurrent ? seeks.filter { $0.player === player && $0.results.isEmpty } : []
    watch.restart(target)
    let seek = Seek(of: player, "\(watch.name): seek \(seeks.count) to \(milliseconds) of \(name(target))")
    seeks.append(seek)
    let life = life
    let handler: @Sendable (Bool) -> Void = { [weak self, weak seek] finished in
      MainActor.assumeIsolated {
        guard let self, let seek else { return }
        self.told("\(seek.name) \(finished)", life: life)
        seek.results.append(finished)
        if seek.results.count > 1 { self.fault("\(seek.name) answered \(seek.results)") }
      }
    }
    if let item {
      item.seek(to: time, completionHandler: handler)
    } else {
      player.seek(to: time, completionHandler: handler)
    }
    // One that is refused replaces none.
    for old in pending where old.results != [false] && seek.results != [false] {
      fault("\(old.name) answered \(old.results) when the next one came")
    }
  }

  private func start(_ watch: WalkWatch, _ rate: Float, at place: Int?, in milliseconds: Int) {
    let player = watch.player
    // One that waits refuses, which ends the program.
    player.automaticallyWaitsToMinimizeStalling = false
    if let item = player.currentItem { watch.restart(item) }
    let now = PlaybackEnvironment.withCurrent(environment) { CMClock.hostTimeClock.time }
    player.setRate(
      rate, time: place.map { CMTime(value: Int64($0), timescale: 1000) } ?? .invalid,
      atHostTime: now + CMTime(value: Int64(milliseconds), timescale: 1000))
  }

  private func cancelSeeks(_ watch: WalkWatch, _ item: AVPlayerItem) {
    let isCurrent = item === watch.player.currentItem
    let pending = isCurrent ? seeks.filter { $0.player === watch.player && $0.results.isEmpty } : []
    item.cancelPendingSeeks()
    for old in pending where old.results != [false] {
      fault("\(old.name) answered \(old.results) when cancelled")
    }
  }

  private func release(_ player: Int) {
    guard let watch = watches[player] else { return }
    for seek in seeks where seek.player === watch.player { seek.isExempt = true }
    // What is in its queue is free when it is gone.
    watch.close()
    watches[player] = nil
  }
}
