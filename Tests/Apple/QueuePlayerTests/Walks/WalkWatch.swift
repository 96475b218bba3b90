import Continuo
import Foundation
import MediaTime
import QueuePlayer

/// Observes one player in one life of the application, and says what must not be told.
@MainActor
final class WalkWatch {
  let player: AVQueuePlayer
  let name: String
  private unowned let walk: Walk
  private var observations: [NSKeyValueObservation] = []
  private var itemObservers: [ObjectIdentifier: ItemObservers] = [:]
  private(set) var timers: [Timer] = []
  /// The queue as observers know it.
  var queue: [AVPlayerItem] = []
  /// What was behind the current item when a call took that out: it may have ended by then, and is told so.
  private var overtaken: Set<ObjectIdentifier> = []
  /// The place that was seen last; nil after what may lead elsewhere.
  private var lastPlace: (item: AVPlayerItem, time: CMTime)?

  private struct ItemObservers {
    let item: AVPlayerItem
    let status: NSKeyValueObservation
    let notifications: [any NSObjectProtocol]
    /// How often its end was told since it was sent elsewhere.
    var ends = 0
  }

  /// A periodic observer with what it was told.
  @MainActor
  final class Timer {
    static let scale: CMTimeScale = 100
    var token: Any?
    var lastStep: Int64?
  }

  init(_ player: AVQueuePlayer, name: String, walk: Walk) {
    self.player = player
    self.name = name
    self.walk = walk
    follow(\.currentItem, "currentItem", isSet: false, { $0.currentItem }) { [weak self] in
      self?.becameCurrent($0)
    }
    follow(\.rate, "rate", isSet: true) { $0.rate }
    follow(\.timeControlStatus, "timeControlStatus", isSet: true) { $0.timeControlStatus }
    follow(\.reasonForWaitingToPlay, "reason", isSet: false) { $0.reasonForWaitingToPlay }
    follow(\.status, "status", isSet: false) { $0.status }
    addTimer()
  }

  private func fault(_ text: String) { walk.fault("\(name): \(text)") }

  // MARK: Properties

  /// Expects each change once and in order.
  private func follow<Value: Equatable & Sendable>(
    _ path: KeyPath<AVQueuePlayer, Value>, _ property: String, isSet: Bool,
    _ read: @escaping @Sendable (AVQueuePlayer) -> Value,
    then: @escaping @MainActor @Sendable (Value) -> Void = { _ in }
  ) {
    let life = walk.life
    let told = Log<Value>()
    let observation = player.observe(path, options: [.initial, .old, .new]) {
      [weak walk, name] player, change in
      MainActor.assumeIsolated {
        guard let walk else { return }
        let what = "\(name): \(property)"
        let isInitial = told.entries.isEmpty
        if !isInitial { walk.told(what, life: life) }
        guard let new = change.newValue else { return walk.fault("\(what) without a value") }
        if read(player) != new { walk.fault("\(what) is \(read(player)), told \(new)") }
        if let last = told.entries.last {
          if change.oldValue != .some(last) {
            walk.fault("\(what) from \(last), told as from \(change.oldValue as Any)")
          }
          if !isSet, last == new { walk.fault("\(what) \(new) told twice") }
        }
        told.add(new)
        then(new)
        if !isInitial { walk.handlerWasCalled() }
      }
    }
    observations.append(observation)
  }

  private func becameCurrent(_ item: AVPlayerItem?) {
    forgetPlace()
    if let item {
      guard let index = queue.firstIndex(of: item) else {
        return fault("\(walk.name(item)) became current, which is not in \(walk.names(queue))")
      }
      queue.removeFirst(index)
      restart(item)
    } else {
      // What was inserted since becomes current in its turn.
      let items = player.items()
      queue.removeAll { !items.contains($0) }
    }
  }

  /// A call is about to take out the current item.
  func overtake() { overtaken.formUnion(queue.map { ObjectIdentifier($0) }) }

  /// Expects the queue that observers know. An item that failed before may fail again without a word.
  func checkQueue(after what: String) {
    let items = player.items()
    let (known, seen) = (queue.filter { $0.status != .failed }, items.filter { $0.status != .failed })
    if known != seen {
      fault("items() is \(walk.names(items)) and not \(walk.names(queue)) after \(what)")
      queue = items
    }
  }

  // MARK: Items

  /// `item` comes into the queue.
  func add(_ item: AVPlayerItem) {
    let id = ObjectIdentifier(item)
    restart(item)
    overtaken.remove(id)
    guard itemObservers[id] == nil else { return }
    let (life, itemName) = (walk.life, "\(name): \(walk.name(item))")
    let status = item.observe(\.status, options: [.old, .new]) { [weak self] item, change in
      MainActor.assumeIsolated {
        guard let self else { return }
        self.walk.told("\(itemName) status", life: life)
        if change.oldValue != .unknown || change.newValue == .unknown || change.newValue != item.status {
          self.walk.fault("\(itemName) status \(change)")
        }
        // A place beyond its end was one that nobody knew to be.
        self.forgetPlace()
        if item.status == .failed, self.player.currentItem !== item { self.queue.removeAll { $0 === item } }
        self.walk.handlerWasCalled()
      }
    }
    let center = NotificationCenter.default
    func observe(_ name: Notification.Name, _ handler: @escaping @MainActor @Sendable (AVPlayerItem) -> Void)
      -> any NSObjectProtocol
    {
      center.addObserver(forName: name, object: item, queue: nil) { [weak walk, weak item] note in
        MainActor.assumeIsolated {
          guard let item else { return }
          walk?.told("\(itemName) \(name.rawValue)", life: life)
          handler(item)
        }
      }
    }
    itemObservers[id] = ItemObservers(
      item: item, status: status,
      notifications: [
        observe(AVPlayerItem.timeJumpedNotification) { [weak self] in self?.restart($0) },
        observe(AVPlayerItem.didPlayToEndTimeNotification) { [weak self] in self?.ended($0, "end") },
        observe(AVPlayerItem.failedToPlayToEndTimeNotification) { [weak self] in self?.ended($0, "failed end")
        },
      ])
  }

  private func ended(_ item: AVPlayerItem, _ what: String) {
    // It may be in the other player's queue by now.
    guard walk.owner(of: item).map({ $0 === self }) ?? true else { return }
    let count = (itemObservers[ObjectIdentifier(item)]?.ends ?? 0) + 1
    itemObservers[ObjectIdentifier(item)]?.ends = count
    if count > 1 { fault("\(what) of \(walk.name(item)) told \(count) times") }
    if player.currentItem !== item { queue.removeAll { $0 === item } }
    if player.currentItem !== item, !overtaken.contains(ObjectIdentifier(item)) {
      fault("\(what) of \(walk.name(item)), which is not current")
    }
  }

  /// `item` begins anew or goes elsewhere.
  func restart(_ item: AVPlayerItem) {
    itemObservers[ObjectIdentifier(item)]?.ends = 0
    if item === player.currentItem { forgetPlace() }
  }

  // MARK: Time

  private func forgetPlace() {
    lastPlace = nil
    for timer in timers { timer.lastStep = nil }
  }

  /// Expects that time does not run backwards.
  func checkPlace() {
    guard let item = player.currentItem, item.status == .readyToPlay else { return lastPlace = nil }
    let time = player.currentTime()
    // An item stands at its end time when that is set behind its place. A place beyond the end is corrected when the
    // medium is opened.
    if let lastPlace, lastPlace.item === item, time != item.forwardPlaybackEndTime,
      lastPlace.time <= item.duration,
      time.seconds < lastPlace.time.seconds - 0.001
    {
      fault("\(walk.name(item)) went back from \(lastPlace.time.seconds) to \(time.seconds)")
    }
    lastPlace = (item, time)
  }

  func addTimer() {
    let timer = Timer()
    let interval = CMTime(value: 1, timescale: Timer.scale)
    let life = walk.life
    // Weak, since the player keeps the block.
    timer.token = player.addPeriodicTimeObserver(forInterval: interval, queue: nil) {
      [weak self, weak timer] time in
      MainActor.assumeIsolated {
        guard let self, let timer else { return }
        self.walk.told("\(self.name): time", life: life)
        self.tell(timer, time)
      }
    }
    timers.append(timer)
  }

  private func tell(_ timer: Timer, _ time: CMTime) {
    guard timer.token != nil else { return fault("a removed observer is told of \(time.seconds)") }
    if player.currentItem == nil { fault("time \(time.seconds) without an item") }
    guard time.timescale == Timer.scale else {
      if let last = timer.lastStep, time.seconds < Double(last) / Double(Timer.scale) - 0.001 {
        fault("time \(time.seconds) after step \(last)")
      }
      return
    }
    if let last = timer.lastStep, time.value != last + 1 { fault("step \(time.value) after \(last)") }
    timer.lastStep = time.value
  }

  func removeTimers() {
    for timer in timers {
      if let token = timer.token { player.removeTimeObserver(token) }
      timer.token = nil
    }
    timers = []
  }

  /// Ends what observes items and properties.
  func close() {
    observations = []
    for observers in itemObservers.values {
      observers.notifications.forEach(NotificationCenter.default.removeObserver)
    }
    itemObservers = [:]
  }
}
