public import Foundation
import Synchronization

/// What can be added to an item in order to receive parts of it. There is one kind here: `AVPlayerItemMetadataOutput`.
open class AVPlayerItemOutput: NSObject, @unchecked Sendable {
  // Unchecked because NSObject is not Sendable; the mutable state is behind mutexes.
  private let suppresses = Mutex(false)

  /// Whether the item's player leaves to the output what it gets; false. Kept, without effect.
  open var suppressesPlayerRendering: Bool {
    get { suppresses.withLock { $0 } }
    set { suppresses.withLock { $0 = newValue } }
  }
}

/// Told when an output starts anew.
public protocol AVPlayerItemOutputPushDelegate: NSObjectProtocol {
  /// What comes next does not continue what came before. Not called: files have no such metadata, and a live stream has no
  /// seeks.
  func outputSequenceWasFlushed(_ output: AVPlayerItemOutput)
}

extension AVPlayerItemOutputPushDelegate {
  /// Does nothing, for delegates that do not need it.
  public func outputSequenceWasFlushed(_ output: AVPlayerItemOutput) {}
}

/// Receives the metadata that change while an item plays.
public protocol AVPlayerItemMetadataOutputPushDelegate: AVPlayerItemOutputPushDelegate {
  /// Metadata whose first frame is heard; one group for each time that they change. `track` is nil: what a stream says about
  /// itself belongs to none.
  func metadataOutput(
    _ output: AVPlayerItemMetadataOutput, didOutputTimedMetadataGroups groups: [AVTimedMetadataGroup],
    from track: AVPlayerItemTrack?)
}

extension AVPlayerItemMetadataOutputPushDelegate {
  /// Does nothing, for delegates that do not need it.
  public func metadataOutput(
    _ output: AVPlayerItemMetadataOutput, didOutputTimedMetadataGroups groups: [AVTimedMetadataGroup],
    from track: AVPlayerItemTrack?
  ) {}
}

/// The metadata that change while an item plays: of a live stream its title and the address that comes with it. Files have
/// none: their tags and chapters are the asset's. Any thread; nothing blocks.
open class AVPlayerItemMetadataOutput: AVPlayerItemOutput, @unchecked Sendable {
  private struct Settings: @unchecked Sendable {
    // Unchecked because delegates are not Sendable: this one is only handed back to the application.
    weak var delegate: (any AVPlayerItemMetadataOutputPushDelegate)?
    var queue: DispatchQueue?
    var advance: TimeInterval = 0
  }
  // Unchecked as its superclass.
  private let settings = Mutex(Settings())
  private let identifiers: Set<String>?

  /// An output for all metadata.
  public override init() {
    identifiers = nil
    super.init()
  }

  /// An output for metadata with these identifiers; nil for all.
  public init(identifiers: [String]?) {
    self.identifiers = identifiers.map { Set($0) }
    super.init()
  }

  /// Whether it is for metadata with this identifier.
  func takes(_ identifier: AVMetadataIdentifier?) -> Bool {
    identifiers.map { $0.contains(identifier?.rawValue ?? "") } ?? true
  }

  /// Gives the metadata to the delegate. On its queue.
  func push(_ group: AVTimedMetadataGroup) {
    delegate?.metadataOutput(self, didOutputTimedMetadataGroups: [group], from: nil)
  }

  /// Sets who receives the metadata, and on which queue: the main queue for nil. The delegate is held weakly.
  open func setDelegate(_ delegate: (any AVPlayerItemMetadataOutputPushDelegate)?, queue: DispatchQueue?) {
    var new = Settings(delegate: delegate, queue: queue)
    settings.withLock { settings in
      new.advance = settings.advance
      swap(&settings, &new)
    }
  }

  /// Who receives the metadata.
  open var delegate: (any AVPlayerItemMetadataOutputPushDelegate)? { settings.withLock { $0 }.delegate }

  /// Where the delegate is called.
  open var delegateQueue: DispatchQueue? { settings.withLock { $0 }.queue }

  /// How long before its time metadata are given, in seconds; 0. Kept, without effect.
  open var advanceIntervalForDelegateInvocation: TimeInterval {
    get { settings.withLock { $0.advance } }
    set { settings.withLock { $0.advance = newValue } }
  }
}

extension AVPlayerItem {
  /// What was added, in that order. Any thread.
  nonisolated public var outputs: [AVPlayerItemOutput] { state.withLock { $0.outputs } }

  /// Adds an output, once: one that is there already stays where it is. Any thread.
  nonisolated public func add(_ output: AVPlayerItemOutput) {
    state.withLock { state in
      if !state.outputs.contains(where: { $0 === output }) { state.outputs.append(output) }
    }
  }

  /// Removes an output; nothing happens if it is not there. Any thread.
  nonisolated public func remove(_ output: AVPlayerItemOutput) {
    state.withLock { state in state.outputs.removeAll { $0 === output } }
  }
}
