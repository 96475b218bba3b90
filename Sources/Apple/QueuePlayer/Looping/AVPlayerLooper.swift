public import AudioSession
public import Foundation
import MediaAssets
public import MediaTime
import PlaybackEngine
import Synchronization

/// Plays one item, or a part of it, repeatedly without a gap.
///
/// The looper keeps several copies of its template in the queue of a player. When a copy has played to its
/// end, it is inserted after the others. The template itself is never played. Retain the looper while the
/// loop plays: releasing the looper ends the loop as `disableLooping()` does. The looper retains its player.
///
/// During the loop, only the looper may change the queue. Every member may be used on any thread; no call
/// blocks. Change handlers are called on the main queue.
public final class AVPlayerLooper: NSObject, Sendable {
  /// The status of a loop.
  public enum Status: Int, Sendable {
    /// No copy has been opened yet.
    case unknown = 0
    /// The loop is active.
    case ready = 1
    /// The loop failed; `error` contains the reason.
    case failed = 2
    /// `disableLooping()` ended the loop.
    case cancelled = 3
  }

  /// The position of the loop relative to the items already in the queue.
  public enum ItemOrdering: Int, Sendable {
    /// The loop interrupts the current item. When the loop has ended, the existing items continue, the
    /// interrupted one at its position.
    case loopingItemsPrecedeExistingItems = 0
    /// The loop plays after the existing items.
    case loopingItemsFollowExistingItems = 1
  }

  private struct State {
    var status = Status.unknown
    var error: AVError?
    var loopCount = 0
    /// The copies, in the order of the queue. Copies that are in no queue come first.
    var copies: [AVPlayerItem] = []
    var observations: [NSKeyValueObservation] = []
    /// Whether the first copies are in the queue. After that, copies are inserted on the main queue only.
    var isSetUp = false
    /// Whether a copy has been the current item.
    var hasBegun = false
    /// The player's `actionAtItemEnd` to restore after the loop; nil if it was `advance`.
    var actionBefore: AVPlayer.ActionAtItemEnd?

    var isLooping: Bool { status == .unknown || status == .ready }
  }

  package let observations = ObservationList()
  private let player: AVQueuePlayer
  /// The range that is looped; invalid for the whole item.
  private let range: CMTimeRange
  private let state = Mutex(State())

  /// The minimum total duration, in seconds, of the copies that are still queued when one has ended. It is
  /// longer than the buffer of any output.
  private static let lead = 4.0
  /// The maximum number of copies. Loops shorter than about 30 ms may have gaps.
  private static let greatestCount = 128

  /// Creates a loop of `itemToLoop` from its beginning to its end or `forwardPlaybackEndTime`. The loop plays before the
  /// existing items. Stops the program if the item is known to be empty.
  public convenience init(player: AVQueuePlayer, templateItem itemToLoop: AVPlayerItem) {
    self.init(player: player, templateItem: itemToLoop, timeRange: .invalid)
  }

  /// Creates a loop of `loopRange` of an item. The loop plays if the player's rate is not 0.
  ///
  /// Stops the program if the item is known to be empty, or if a valid `loopRange` is empty or not within the
  /// item. If the item's length is not known yet and turns out too short, the loop fails.
  ///
  /// - Parameters:
  ///   - player: the player of the loop. Its `actionAtItemEnd` is `advance` during the loop.
  ///   - itemToLoop: the template, copied with its current properties.
  ///   - loopRange: the range of the item to loop; invalid for the whole item, up to its `forwardPlaybackEndTime`.
  ///   - itemOrdering: the position of the loop relative to the existing items.
  public init(
    player: AVQueuePlayer, templateItem itemToLoop: AVPlayerItem, timeRange loopRange: CMTimeRange,
    existingItemsOrdering itemOrdering: ItemOrdering = .loopingItemsPrecedeExistingItems
  ) {
    self.player = player
    range = loopRange
    super.init()
    let known = itemToLoop.knownState.info ?? (try? itemToLoop.asset.loader.outcome?.get())?.info
    if let problem = problem(known) { preconditionFailure(problem) }
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

  /// The status of the loop. Observable.
  public var status: Status { observations.read(.status) { state.withLock { $0.status } } }

  /// The reason for the failure, an `AVError`; nil unless `status` is `failed`. Observable.
  public var error: (any Error)? { observations.read(.error) { state.withLock { $0.error } } }

  /// The number of repetitions; 0 while the item plays for the first time. Observable.
  public var loopCount: Int { observations.read(.loopCount) { state.withLock { $0.loopCount } } }

  /// The copies that are played, at least three, in the order of the queue. For inspection only.
  public var loopingPlayerItems: [AVPlayerItem] { state.withLock { $0.copies } }

  /// Ends the loop. The current copy plays to its end, the other copies leave the queue, and the player's
  /// `actionAtItemEnd` is restored. No effect if the loop has ended or failed.
  public func disableLooping() {
    guard state.withLock({ $0.isLooping }) else { return }
    set(.status) { state in if state.isLooping { state.status = .cancelled } }
    end()
  }

  // MARK: Copies

  /// Returns the reason why an item cannot be looped, if its exact duration is known; nil if it can.
  private func problem(_ info: ItemInfo?) -> String? {
    let duration = info?.exactDuration ?? .indefinite
    if duration.isNumeric, duration <= .zero { return "AVPlayerLooper: the item is empty" }
    guard range.isValid else { return nil }
    guard range.start.isNumeric, range.duration.isNumeric, range.start >= .zero, range.duration > .zero,
      !duration.isNumeric || range.end <= duration
    else { return "AVPlayerLooper: the range to loop is empty, or not within the item" }
    return nil
  }

  /// Returns the number of copies needed for an item of this duration.
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

  /// Moves `copy`, which is in no queue, to the start of the range.
  private func rewind(_ copy: AVPlayerItem) {
    copy.seek(to: range.isValid ? range.start : .zero, completionHandler: nil)
  }

  private func observe(_ copy: AVPlayerItem) -> NSKeyValueObservation {
    copy.observe(\.status) { [weak self] copy, _ in self?.becameKnown(copy) }
  }

  /// Inserts the first copies into the queue.
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

  /// Queues each copy that is in no queue, after the other copies. Main queue.
  private func refill() {
    let core = player.core
    while let (copy, last) = nextToInsert() {
      // A length that was estimated before is exact once the copy has ended.
      if let problem = problem(copy.knownState.info) { return fail(AVError(.unknown, reason: problem)) }
      rewind(copy)
      core.insert(copy, after: last)
      // The loop may have ended during the insertion, on another thread or by an observer.
      guard state.withLock({ $0.isLooping }) else { return core.remove(copy) }
    }
  }

  /// Returns the next copy to insert, and the copy after which to insert it, or nil for the end of the queue.
  /// Returns nil if no copy needs to be inserted.
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

  /// Handles a change of the player's current item. Main queue.
  private func becameCurrent(_ item: AVPlayerItem?) {
    let isAgain = state.withLock { state in
      guard state.isLooping, state.copies.contains(where: { $0 === item }) else { return false }
      defer { state.hasBegun = true }
      return state.hasBegun
    }
    if isAgain { set(.loopCount) { $0.loopCount += 1 } }
    refill()
  }

  /// Handles the opening, or the failure, of a copy. Main queue.
  private func becameKnown(_ copy: AVPlayerItem) {
    guard state.withLock({ $0.isLooping }) else { return }
    let duration = copy.duration
    if copy.status == .failed {
      fail(copy.error as? AVError ?? AVError(.unknown))
    } else if let problem = problem(copy.knownState.info) {
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

  /// Ends the loop: the current item continues, and the other copies leave the queue.
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

  /// Calls `change`, which sets the property, and notifies observers.
  private func set(_ key: ObservedKey, _ change: (inout State) -> Void) {
    player.core.environment.suspension.set(observations.property(key), of: observations) {
      state.withLock { change(&$0) }
    }
  }
}

extension AVPlayerLooper: KeyValueObserving, ObservedObject {}
