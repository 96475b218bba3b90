public import Foundation
import Synchronization

/// What a delegate of a resource loader is asked for. Answered on any thread, at once or later, with as many calls as it takes.
open class AVAssetResourceLoadingRequest: NSObject, @unchecked Sendable {
  // Unchecked because NSObject is not Sendable; the mutable state is behind a mutex.

  /// What of Apple's `URLRequest` means something here. That type itself is FoundationNetworking's, which who plays files
  /// does not load.
  public struct Request: Hashable, Sendable {
    /// The asset's URL.
    public let url: URL?
  }

  private struct State {
    var isFinished = false
    var isCancelled = false
  }

  /// The asset's URL.
  public let request: Request
  /// To be filled in before bytes are brought or the request is finished; nil if it is known by an earlier request.
  public let contentInformationRequest: AVAssetResourceLoadingContentInformationRequest?
  /// Which bytes are wanted, and whom to bring them. Never nil here.
  public let dataRequest: AVAssetResourceLoadingDataRequest?

  private let state = Mutex(State())
  private let onFinish: @Sendable ((any Error)?) -> Void

  init(
    url: URL, information: AVAssetResourceLoadingContentInformationRequest?,
    data: AVAssetResourceLoadingDataRequest,
    onFinish: @escaping @Sendable ((any Error)?) -> Void
  ) {
    request = Request(url: url)
    contentInformationRequest = information
    dataRequest = data
    self.onFinish = onFinish
  }

  /// Whether it was finished.
  open var isFinished: Bool { state.withLock { $0.isFinished } }

  /// Whether nobody wants it any more: what is brought then is dropped.
  open var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// All that was wanted was brought, or there is no more. Where more was promised by `contentLength` it is asked for again.
  open func finishLoading() { finish(nil) }

  /// The bytes cannot be brought: the asset fails, with the text of `error`.
  open func finishLoading(with error: (any Error)?) { finish(error ?? CocoaError(.fileReadUnknown)) }

  private func finish(_ error: (any Error)?) {
    let isFirst = state.withLock { state in
      defer { state.isFinished = true }
      return !state.isFinished && !state.isCancelled
    }
    if isFirst { onFinish(error) }
  }

  /// Whether it was under way.
  func cancel() -> Bool {
    state.withLock { state in
      guard !state.isFinished, !state.isCancelled else { return false }
      state.isCancelled = true
      return true
    }
  }
}

/// What a delegate says about a resource. Any thread.
open class AVAssetResourceLoadingContentInformationRequest: NSObject, @unchecked Sendable {
  // Unchecked because NSObject is not Sendable; the mutable state is behind a mutex.

  struct Values {
    var contentType: String?
    var contentLength: Int64 = 0
    var isByteRangeAccessSupported = false
    var isEntireLengthAvailableOnDemand = false
    var renewalDate: Date?
  }

  private let state = Mutex(Values())

  var values: Values { state.withLock { $0 } }

  /// The uniform type identifier, such as `public.mp3`. Kept, without effect: what it is, its bytes tell.
  open var contentType: String? {
    get { state.withLock { $0.contentType } }
    set { state.withLock { $0.contentType = newValue } }
  }

  /// The length in bytes; 0, as at first, if it is not known.
  open var contentLength: Int64 {
    get { state.withLock { $0.contentLength } }
    set { state.withLock { $0.contentLength = newValue } }
  }

  /// Whether requests may begin anywhere; with false, as at first, all begin at 0. Needs a `contentLength`.
  open var isByteRangeAccessSupported: Bool {
    get { state.withLock { $0.isByteRangeAccessSupported } }
    set { state.withLock { $0.isByteRangeAccessSupported = newValue } }
  }

  /// Whether nothing has to be waited for. Kept, without effect.
  open var isEntireLengthAvailableOnDemand: Bool {
    get { state.withLock { $0.isEntireLengthAvailableOnDemand } }
    set { state.withLock { $0.isEntireLengthAvailableOnDemand = newValue } }
  }

  /// When the resource has to be asked for anew. Kept, without effect.
  open var renewalDate: Date? {
    get { state.withLock { $0.renewalDate } }
    set { state.withLock { $0.renewalDate = newValue } }
  }
}

/// Which bytes of a resource are wanted, and who takes them. Any thread.
open class AVAssetResourceLoadingDataRequest: NSObject, @unchecked Sendable {
  // Unchecked because NSObject is not Sendable; the mutable state is behind a mutex.

  /// The first byte that is wanted.
  public let requestedOffset: Int64
  /// How many bytes are wanted at most; `Int.max` while the length is not known.
  public let requestedLength: Int
  /// Whether all bytes from the first one to the end are wanted, as far as they are read: always, here.
  public let requestsAllDataToEndOfResource = true

  private let offset: Mutex<Int64>
  private let onData: @Sendable (Data) -> Void

  init(offset: Int64, length: Int, onData: @escaping @Sendable (Data) -> Void) {
    requestedOffset = offset
    requestedLength = length
    self.offset = Mutex(offset)
    self.onData = onData
  }

  /// The byte behind those that were brought: where the next `respond` goes on.
  open var currentOffset: Int64 { offset.withLock { $0 } }

  /// Brings bytes, the next ones in order, as many as there are. Copies them; does not wait for whoever reads them, so a delegate
  /// that has much brings it in pieces.
  open func respond(with data: Data) {
    guard !data.isEmpty else { return }
    offset.withLock { $0 += Int64(data.count) }
    onData(data)
  }
}
