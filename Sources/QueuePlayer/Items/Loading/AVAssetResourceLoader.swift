public import Dispatch
public import Foundation
import HostTime
import Synchronization
import Transfer

/// Asks a delegate for the bytes of an asset whose URL has a scheme of the application's own, such as `vault:`. Players treat
/// what comes as what a server sends: it may come slowly, be asked for anew, and be sought in. URLs of files and of http and https are
/// loaded without a delegate.
///
/// All members: any thread; nothing blocks.
open class AVAssetResourceLoader: NSObject, @unchecked Sendable {
  // Unchecked because NSObject is not Sendable; the mutable state is behind a mutex.

  private struct State: @unchecked Sendable {
    // Unchecked because delegates are not Sendable: this one is only called, on its queue.
    weak var delegate: (any AVAssetResourceLoaderDelegate)?
    var queue: DispatchQueue?
    var delivery: (any DeliveryQueue)?
  }

  private let state = Mutex(State())
  private let mainQueue: @Sendable () -> any DeliveryQueue

  /// A loader that has no delegate.
  ///
  /// - Parameter mainQueue: what stands for the main queue where the asset is played.
  init(mainQueue: @escaping @Sendable () -> any DeliveryQueue) { self.mainQueue = mainQueue }

  /// Sets who brings the bytes, and the queue on which it is called: the main queue for nil. The delegate is held weakly. To
  /// be set before the asset is loaded or played.
  open func setDelegate(_ delegate: (any AVAssetResourceLoaderDelegate)?, queue: DispatchQueue?) {
    let delivery = queue.flatMap { MainDispatchQueue.isMain($0) ? nil : ObserverQueue($0) }
    let new = State(delegate: delegate, queue: queue, delivery: delivery)
    state.withLock { $0 = new }
  }

  /// Who brings the bytes.
  open var delegate: (any AVAssetResourceLoaderDelegate)? { state.withLock { $0 }.delegate }

  /// Where the delegate is called.
  open var delegateQueue: DispatchQueue? { state.withLock { $0 }.queue }

  /// Calls the delegate, if there is one, on its queue.
  func call(_ body: @escaping @Sendable (AVAssetResourceLoader, (any AVAssetResourceLoaderDelegate)?) -> Void)
  {
    let queue = state.withLock { $0.delivery } ?? mainQueue()
    queue.enqueue { body(self, self.delegate) }
  }
}

/// Brings the bytes of assets whose URLs have schemes of the application's own.
public protocol AVAssetResourceLoaderDelegate: NSObjectProtocol {
  /// Bytes are wanted. A delegate that brings them, now or later, returns true; false makes the asset fail.
  func resourceLoader(
    _ resourceLoader: AVAssetResourceLoader,
    shouldWaitForLoadingOfRequestedResource loadingRequest: AVAssetResourceLoadingRequest
  ) -> Bool

  /// What is left of a request is not wanted any more: there is enough, the reader went elsewhere, or the item has left.
  func resourceLoader(
    _ resourceLoader: AVAssetResourceLoader, didCancel loadingRequest: AVAssetResourceLoadingRequest)
}

extension AVAssetResourceLoaderDelegate {
  /// Returns false, for delegates that bring nothing.
  public func resourceLoader(
    _ resourceLoader: AVAssetResourceLoader,
    shouldWaitForLoadingOfRequestedResource loadingRequest: AVAssetResourceLoadingRequest
  ) -> Bool { false }

  /// Does nothing, for delegates that have nothing to stop.
  public func resourceLoader(
    _ resourceLoader: AVAssetResourceLoader, didCancel loadingRequest: AVAssetResourceLoadingRequest
  ) {}
}
