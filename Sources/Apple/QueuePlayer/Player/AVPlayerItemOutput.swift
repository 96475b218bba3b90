import AudioSession
public import Foundation
public import MediaAssets
import Synchronization

/// An object that receives data of an item. The only kind is `AVPlayerItemMetadataOutput`.
open class AVPlayerItemOutput: NSObject, @unchecked Sendable {
  // Unchecked because the class is open; a mutex protects the mutable state.
  private let suppresses = Mutex(false)

  /// Whether the output replaces the player's own rendering; false by default. Stored without effect.
  open var suppressesPlayerRendering: Bool {
    get { suppresses.withLock { $0 } }
    set { suppresses.withLock { $0 = newValue } }
  }
}

/// The delegate of an output, notified of discontinuities.
public protocol AVPlayerItemOutputPushDelegate: NSObjectProtocol {
  /// Reports a discontinuity. Never called, because only live streams have timed metadata, and a seek in a
  /// live stream is not possible.
  func outputSequenceWasFlushed(_ output: AVPlayerItemOutput)
}

extension AVPlayerItemOutputPushDelegate {
  /// Does nothing, for delegates that do not need the notification.
  public func outputSequenceWasFlushed(_ output: AVPlayerItemOutput) {}
}

/// The delegate of a metadata output, which receives timed metadata.
public protocol AVPlayerItemMetadataOutputPushDelegate: AVPlayerItemOutputPushDelegate {
  /// Receives metadata when the first frame to which they apply is heard; one group for each change. `track`
  /// is always nil. Called on the output's `delegateQueue`; deferred during suspension.
  func metadataOutput(
    _ output: AVPlayerItemMetadataOutput, didOutputTimedMetadataGroups groups: [AVTimedMetadataGroup],
    from track: AVPlayerItemTrack?)
}

extension AVPlayerItemMetadataOutputPushDelegate {
  /// Does nothing, for delegates that do not need the metadata.
  public func metadataOutput(
    _ output: AVPlayerItemMetadataOutput, didOutputTimedMetadataGroups groups: [AVTimedMetadataGroup],
    from track: AVPlayerItemTrack?
  ) {}
}

/// An output of the metadata that change during playback: the title of a live stream and the accompanying
/// address. Files have no such metadata; their tags and chapters are metadata of the asset. Any thread; no
/// call blocks.
open class AVPlayerItemMetadataOutput: AVPlayerItemOutput, @unchecked Sendable {
  private struct Settings: @unchecked Sendable {
    // Unchecked because delegates are not Sendable. The delegate is only returned to callers, and called on
    // its queue.
    weak var delegate: (any AVPlayerItemMetadataOutputPushDelegate)?
    var queue: DispatchQueue?
    /// `queue`; nil for the main queue.
    var ownQueue: DelegateQueue?
    var advance: TimeInterval = 0
  }
  // Unchecked for the same reason as the superclass.
  private let settings = Mutex(Settings())
  private let identifiers: Set<String>?

  /// Creates an output for all metadata.
  public override init() {
    identifiers = nil
    super.init()
  }

  /// Creates an output for metadata with these identifiers; nil for all.
  public init(identifiers: [String]?) {
    self.identifiers = identifiers.map { Set($0) }
    super.init()
  }

  /// Returns whether the output receives metadata with this identifier.
  func takes(_ identifier: AVMetadataIdentifier?) -> Bool {
    identifiers.map { $0.contains(identifier?.rawValue ?? "") } ?? true
  }

  /// The delegate's queue; nil for the main queue.
  var ownQueue: DelegateQueue? { settings.withLock { $0.ownQueue } }

  /// Passes the metadata to the delegate. Must be called on the delegate's queue.
  func push(_ group: AVTimedMetadataGroup) {
    delegate?.metadataOutput(self, didOutputTimedMetadataGroups: [group], from: nil)
  }

  /// Sets the delegate, held weakly, and the queue on which the delegate is called; nil for the main queue.
  open func setDelegate(_ delegate: (any AVPlayerItemMetadataOutputPushDelegate)?, queue: DispatchQueue?) {
    var new = Settings(delegate: delegate, queue: queue, ownQueue: DelegateQueue(queue))
    settings.withLock { settings in
      new.advance = settings.advance
      swap(&settings, &new)
    }
  }

  /// The delegate that receives the metadata.
  open var delegate: (any AVPlayerItemMetadataOutputPushDelegate)? { settings.withLock { $0 }.delegate }

  /// The queue on which the delegate is called; nil for the main queue.
  open var delegateQueue: DispatchQueue? { settings.withLock { $0 }.queue }

  /// The time by which metadata are delivered in advance, in seconds; 0 by default. Stored without effect.
  open var advanceIntervalForDelegateInvocation: TimeInterval {
    get { settings.withLock { $0.advance } }
    set { settings.withLock { $0.advance = newValue } }
  }
}

extension AVPlayerItem {
  /// The outputs, in the order in which they were added. Any thread.
  nonisolated public var outputs: [AVPlayerItemOutput] { state.withLock { $0.outputs } }

  /// Adds an output; without effect if it was added before. Any thread.
  nonisolated public func add(_ output: AVPlayerItemOutput) {
    state.withLock { state in
      if !state.outputs.contains(where: { $0 === output }) { state.outputs.append(output) }
    }
  }

  /// Removes an output; without effect if it was not added. Any thread.
  nonisolated public func remove(_ output: AVPlayerItemOutput) {
    state.withLock { state in state.outputs.removeAll { $0 === output } }
  }
}
