import AudioSession
public import Dispatch
public import Foundation
import Synchronization
import Transfer

/// Requests the bytes of an asset whose URL has a custom scheme, such as `vault:`, from a delegate.
///
/// Players treat the delegate like a server: bytes may arrive slowly, requests may be repeated, and seeks are
/// possible. File, http and https URLs are loaded without a delegate. Any thread; no call blocks.
open class AVAssetResourceLoader: NSObject, @unchecked Sendable {
  // Unchecked because the class is open; a mutex protects the mutable state.

  private struct State: @unchecked Sendable {
    // Unchecked because delegates are not Sendable. The delegate is only returned to callers, and called on
    // its queue.
    weak var delegate: (any AVAssetResourceLoaderDelegate)?
    var queue: DispatchQueue?
    /// `queue`; nil for the main queue.
    var ownQueue: DelegateQueue?
  }

  private let state = Mutex(State())
  private let environment: @Sendable () -> PlaybackEnvironment

  /// Creates a loader without a delegate. `environment` returns the environment that plays the asset.
  init(environment: @escaping @Sendable () -> PlaybackEnvironment) { self.environment = environment }

  /// Sets the delegate that provides the bytes, held weakly, and the queue on which the delegate is called;
  /// nil for the main queue. Must be called before the asset is loaded or played.
  open func setDelegate(_ delegate: (any AVAssetResourceLoaderDelegate)?, queue: DispatchQueue?) {
    var new = State(delegate: delegate, queue: queue, ownQueue: DelegateQueue(queue))
    state.withLock { swap(&$0, &new) }
  }

  /// The delegate that provides the bytes.
  open var delegate: (any AVAssetResourceLoaderDelegate)? { state.withLock { $0 }.delegate }

  /// The queue on which the delegate is called; nil for the main queue.
  open var delegateQueue: DispatchQueue? { state.withLock { $0 }.queue }

  /// Whether calls of the delegate wait for the end of a suspension.
  var isSuspended: Bool { environment().suspension.isSuspended }

  /// Passes the delegate, or nil, to `body` on the delegate's queue. Deferred while the application is suspended, and
  /// dropped if it ends first.
  func call(_ body: @escaping @Sendable (AVAssetResourceLoader, (any AVAssetResourceLoaderDelegate)?) -> Void)
  {
    let queue = state.withLock { $0.ownQueue }
    environment().suspension.tellLater(on: queue) { body(self, self.delegate) }
  }
}

/// A delegate that provides the bytes of assets whose URLs have custom schemes.
public protocol AVAssetResourceLoaderDelegate: NSObjectProtocol {
  /// Handles a request for bytes. Returns whether the delegate provides them; if false, the asset fails.
  func resourceLoader(
    _ resourceLoader: AVAssetResourceLoader,
    shouldWaitForLoadingOfRequestedResource loadingRequest: AVAssetResourceLoadingRequest
  ) -> Bool

  /// Notifies the delegate that the rest of a request is not needed: enough is buffered, the reader has
  /// seeked, or the item has left the queue.
  func resourceLoader(
    _ resourceLoader: AVAssetResourceLoader, didCancel loadingRequest: AVAssetResourceLoadingRequest)
}

extension AVAssetResourceLoaderDelegate {
  /// Returns false, for delegates that provide no bytes.
  public func resourceLoader(
    _ resourceLoader: AVAssetResourceLoader,
    shouldWaitForLoadingOfRequestedResource loadingRequest: AVAssetResourceLoadingRequest
  ) -> Bool { false }

  /// Does nothing, for delegates without cancellable work.
  public func resourceLoader(
    _ resourceLoader: AVAssetResourceLoader, didCancel loadingRequest: AVAssetResourceLoadingRequest
  ) {}
}
