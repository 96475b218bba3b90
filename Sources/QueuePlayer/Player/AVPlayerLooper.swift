public import Foundation
public import MediaTime
import PlaybackEngine
import Synchronization

/// Plays one item, or a part of it, again and again without a gap.
///
/// The looper keeps several copies of its template in the queue of a player: whenever one was heard to its end it goes
/// behind the others. The template itself is never played. Keep the looper as long as the loop is to go on: when it is
/// released the loop ends as by `disableLooping()`. It keeps its player.
///
/// The queue must not be changed from outside meanwhile. Every member may be used on any thread; nothing blocks. Change
/// handlers are called on the main queue.
public final class AVPlayerLooper: NSObject, Sendable {
  /// Whether the loop goes on.
  public enum Status: Int, Sendable {
    /// No copy was opened yet.
    case unknown = 0
    /// It goes on.
    case ready = 1
    /// It cannot go on; `error` says why.
    case failed = 2
    /// It was ended by `disableLooping()`.
    case cancelled = 3
  }

  /// Where in the queue the loop is, as to what is there already.
  public enum ItemOrdering: Int, Sendable {
    /// Before it: what is there is played when the loop has ended. The item that is playing gives way, and goes on later
    /// where it stood.
    case loopingItemsPrecedeExistingItems = 0
    /// Behind it: what is there is played first.
    case loopingItemsFollowExistingItems = 1
  }

  private struct State {
    var status = Status.unknown
    var error: AVError?
    var loopCount = 0
    /// The copies, in the order of the queue: those that are in none come first.
    var copies: [AVPlayerItem] = []
    var observations: [NSKeyValueObservation] = []
    /// The first copies are in the queue. From then on only the main queue puts them there.
    var isSetUp = false
    /// A copy was current.
    var hasBegun = false
    /// The player's action before the loop began, if it was another one.
    var actionBefore: AVPlayer.ActionAtItemEnd?

    var isLooping: Bool { status == .unknown || status == .ready }
  }

  let observations = ObservationList()
  private let player: AVQueuePlayer
  /// What is looped; invalid for the whole item.
  private let range: CMTimeRange
  private let state = Mutex(State())

  /// The copies last for this many seconds after one has ended: longer than any output is ahead of what is heard, so
  /// that one always follows.
  private static let lead = 4.0
  /// The greatest number of copies: loops shorter than about 30 ms may have gaps.
  private static let greatestCount = 128

  /// A loop of the whole of `itemToLoop`, before what is in the queue. As the other initialisers.
  public convenience init(player: AVQueuePlayer, templateItem itemToLoop: AVPlayerItem) {
    self.init(player: player, templateItem: itemToLoop, timeRange: .invalid)
  }

  /// A loop of `loopRange` of an item. Plays if the player's rate is not 0.
  ///
  /// Stops the program if the item is known to be empty, or `loopRange` is neither invalid nor a range within it that is
  /// longer than zero. If the item's length is not known yet and proves to be too short, the loop fails.
  ///
  /// - Parameters:
  ///   - player: in whose queue the loop is. Its `actionAtItemEnd` becomes `advance`, as long as the loop goes on.
  ///   - itemToLoop: what is copied, with the properties that it has now.
  ///   - loopRange: of the item; invalid for the whole of it.
  ///   - itemOrdering: where in the queue.
  public init(
    player: AVQueuePlayer, templateItem itemToLoop: AVPlayerItem, timeRange loopRange: CMTimeRange,
    existingItemsOrdering itemOrdering: ItemOrdering = .loopingItemsPrecedeExistingItems
  ) {
    self.player = player
    range = loopRange
    super.init()
    let known = itemToLoop.knownState.info ?? (try? itemToLoop.asset.loader.outcome?.get())?.info
    if let problem = problem(duration: known?.duration ?? .indefinite) { preconditionFailure(problem) }
    let copies = (0..<count(duration: known?.duration ?? .indefinite)).map { _ in copy(itemToLoop) }
    let actionBefore = player.actionAtItemEnd
    if actionBefore != .advance { player.actionAtItemEnd = .advance }
    let observation = player.observe(\.currentItem, options: [.new]) { [weak self] _, change in
      self?.becameCurrent(change.newValue ?? nil)
    }
    let observed = [observation] + copies.map(observe)
    state.withLock { state in
      state.actionBefore = actionBefore == .advance ? nil : actionBefore
      state.copies = copies
      state.observations = observed
    }
    begin(copies, itemOrdering)
    state.withLock { $0.isSetUp = true }
  }

  deinit { end() }

  // MARK: State

  /// Whether the loop goes on. Can be observed.
  public var status: Status {
    observations.note(.status)
    return state.withLock { $0.status }
  }

  /// Why it cannot go on; nil unless `status` is `failed`. An `AVError`. Can be observed.
  public var error: (any Error)? {
    observations.note(.error)
    return state.withLock { $0.error }
  }

  /// How often playback of the item has begun again: 0 while it is played for the first time. Can be observed.
  public var loopCount: Int {
    observations.note(.loopCount)
    return state.withLock { $0.loopCount }
  }

  /// The copies that are played, at least three, in the order of the queue. To be looked at only.
  public var loopingPlayerItems: [AVPlayerItem] { state.withLock { $0.copies } }

  /// Ends the loop: the copy that is playing plays to its end, the others leave the queue, and the player's
  /// `actionAtItemEnd` is what it was. No effect if the loop has ended or failed.
  public func disableLooping() {
    guard state.withLock({ $0.isLooping }) else { return }
    set(.status) { state in if state.isLooping { state.status = .cancelled } }
    end()
  }

  // MARK: Copies

  /// Why an item of that length cannot be looped; nil if it can. An indefinite length may be any.
  private func problem(duration: CMTime) -> String? {
    if duration.isNumeric, duration <= .zero { return "AVPlayerLooper: the item is empty" }
    guard range.isValid else { return nil }
    guard range.start.isNumeric, range.duration.isNumeric, range.start >= .zero, range.duration > .zero,
      !duration.isNumeric || range.end <= duration
    else { return "AVPlayerLooper: the range to loop is empty, or not within the item" }
    return nil
  }

  /// How many copies there must be for an item of that length.
  private func count(duration: CMTime) -> Int {
    let length = range.isValid ? range.duration : duration
    guard length.isNumeric, length > .zero else { return 3 }
    return Int(min(max(3, (Self.lead / length.seconds).rounded(.up) + 1), Double(Self.greatestCount)))
  }

  private func copy(_ template: AVPlayerItem) -> AVPlayerItem {
    guard let copy = template.copy() as? AVPlayerItem else {
      preconditionFailure("AVPlayerLooper: the copy of the item is none")
    }
    if range.isValid { copy.forwardPlaybackEndTime = range.end }
    rewind(copy)
    return copy
  }

  /// Has `copy`, which is in no queue, start at the range's start.
  private func rewind(_ copy: AVPlayerItem) {
    copy.seek(to: range.isValid ? range.start : .zero, completionHandler: nil)
  }

  private func observe(_ copy: AVPlayerItem) -> NSKeyValueObservation {
    copy.observe(\.status) { [weak self] copy, _ in self?.becameKnown(copy) }
  }

  /// Puts the first copies into the queue.
  private func begin(_ copies: [AVPlayerItem], _ ordering: ItemOrdering) {
    let core = player.core
    guard ordering == .loopingItemsPrecedeExistingItems, let first = copies.first,
      let current = core.knownCurrent?.item
    else {
      for copy in copies { core.insert(copy, after: nil) }
      return
    }
    var last = current
    for copy in copies.dropFirst() {
      core.insert(copy, after: last)
      last = copy
    }
    core.replaceCurrentItem(with: first)
    if core.canInsert(current, after: last) { core.insert(current, after: last) }
  }

  /// Puts copies that are in no queue behind the others. Main queue.
  private func refill() {
    let core = player.core
    while let (copy, last) = nextToInsert() {
      rewind(copy)
      core.insert(copy, after: last)
      // Ended meanwhile, on another thread or by an observer.
      guard state.withLock({ $0.isLooping }) else { return core.remove(copy) }
    }
  }

  /// The copy that is to be inserted next, if there is one, and the copy behind which it belongs; nil for the end.
  private func nextToInsert() -> (copy: AVPlayerItem, last: AVPlayerItem?)? {
    let copies = state.withLock { $0.isLooping && $0.isSetUp ? $0.copies : [] }
    guard let copy = copies.first(where: { $0.attachment == nil }) else { return nil }
    let last = copies.last { $0.attachment != nil }
    state.withLock { state in
      state.copies.removeAll { $0 === copy }
      state.copies.append(copy)
    }
    return (copy, last)
  }

  // MARK: Changes

  /// The player's current item has changed. Main queue.
  private func becameCurrent(_ item: AVPlayerItem?) {
    let isAgain = state.withLock { state in
      guard state.isLooping, state.copies.contains(where: { $0 === item }) else { return false }
      defer { state.hasBegun = true }
      return state.hasBegun
    }
    if isAgain { set(.loopCount) { $0.loopCount += 1 } }
    refill()
  }

  /// A copy was opened, or cannot be. Main queue.
  private func becameKnown(_ copy: AVPlayerItem) {
    guard state.withLock({ $0.isLooping }) else { return }
    let duration = copy.duration
    if copy.status == .failed {
      fail(copy.error as? AVError ?? AVError(.unknown))
    } else if let problem = problem(duration: duration) {
      fail(AVError(.unknown, reason: problem))
    } else if state.withLock({ $0.status }) == .unknown {
      let end = copy.forwardPlaybackEndTime
      let missing =
        count(duration: end.isNumeric ? min(end, duration) : duration) - loopingPlayerItems.count
      let more = (0..<max(0, missing)).map { _ in self.copy(copy) }
      let observed = more.map(observe)
      state.withLock { state in
        state.copies = more + state.copies
        state.observations += observed
      }
      set(.status) { state in if state.isLooping { state.status = .ready } }
      refill()
    }
  }

  private func fail(_ error: AVError) {
    set(.error) { state in if state.isLooping { state.error = error } }
    set(.status) { state in if state.isLooping { state.status = .failed } }
    end()
  }

  /// The loop is over: the current item plays on, other copies leave the queue.
  private func end() {
    let (copies, action, observed) = state.withLock { state in
      defer {
        state.actionBefore = nil
        state.observations = []
      }
      return (state.copies, state.actionBefore, state.observations)
    }
    guard !observed.isEmpty else { return }
    for observation in observed { observation.invalidate() }
    if let action { player.actionAtItemEnd = action }
    let current = player.core.knownCurrent?.item
    for copy in copies where copy !== current { player.core.remove(copy) }
  }

  /// Has `change` set a property, and tells observers.
  private func set(_ key: ObservedKey, _ change: (inout State) -> Void) {
    player.core.environment.suspension.set(observations.property(key), of: observations) {
      state.withLock { change(&$0) }
    }
  }
}

extension AVPlayerLooper: KeyValueObserving, ObservedObject {}
