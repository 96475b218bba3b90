public import Foundation
import Synchronization

/// A request to a delegate for bytes. The delegate may answer on any thread, at once or later, and in any
/// number of calls.
open class AVAssetResourceLoadingRequest: NSObject, @unchecked Sendable {
  // Unchecked because the class is open; a mutex protects the mutable state.

  /// The part of Foundation's `URLRequest` that is needed here. `URLRequest` itself is in
  /// FoundationNetworking, which a program that only plays files does not load.
  public struct Request: Hashable, Sendable {
    /// The URL of the asset.
    public let url: URL?
  }

  private struct State {
    var isFinished = false
    var isCancelled = false
  }

  /// The part of the request with the asset's URL.
  public let request: Request
  /// The request for information about the resource, to be filled in before bytes are provided or the request
  /// is finished. Nil once the delegate has answered such a request.
  public let contentInformationRequest: AVAssetResourceLoadingContentInformationRequest?
  /// The requested bytes and their receiver. Never nil.
  public let dataRequest: AVAssetResourceLoadingDataRequest?

  private let state = Mutex(State())
  private let onFinish: @Sendable ((any Error)?) -> Void

  init(
    url: URL, information: AVAssetResourceLoadingContentInformationRequest?,
    data: AVAssetResourceLoadingDataRequest, onFinish: @escaping @Sendable ((any Error)?) -> Void
  ) {
    request = Request(url: url)
    contentInformationRequest = information
    dataRequest = data
    self.onFinish = onFinish
  }

  /// Whether the request was finished.
  open var isFinished: Bool { state.withLock { $0.isFinished } }

  /// Whether the request was cancelled. Bytes provided after that are dropped.
  open var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Finishes the request. If the delegate has provided fewer bytes than `contentLength` states, the missing
  /// ones are requested again.
  open func finishLoading() { finish(nil) }

  /// Finishes the request with a failure. The asset fails with the description of `error`.
  open func finishLoading(with error: (any Error)?) { finish(error ?? CocoaError(.fileReadUnknown)) }

  private func finish(_ error: (any Error)?) {
    let isFirst = state.withLock { state in
      defer { state.isFinished = true }
      return !state.isFinished && !state.isCancelled
    }
    if isFirst { onFinish(error) }
  }

  /// Cancels the request. Returns whether it was in progress.
  func cancel() -> Bool {
    state.withLock { state in
      guard !state.isFinished, !state.isCancelled else { return false }
      state.isCancelled = true
      return true
    }
  }
}

/// The delegate's information about a resource. Any thread.
open class AVAssetResourceLoadingContentInformationRequest: NSObject, @unchecked Sendable {
  // Unchecked because the class is open; a mutex protects the mutable state.

  struct Values {
    var contentType: String?
    var contentLength: Int64 = 0
    var isByteRangeAccessSupported = false
    var isEntireLengthAvailableOnDemand = false
    var renewalDate: Date?
  }

  private let state = Mutex(Values())

  var values: Values { state.withLock { $0 } }

  /// The uniform type identifier, such as `public.mp3`. Without effect, because the content determines the
  /// type.
  open var contentType: String? {
    get { state.withLock { $0.contentType } }
    set { state.withLock { $0.contentType = newValue } }
  }

  /// The length in bytes; 0, the default, if unknown.
  open var contentLength: Int64 {
    get { state.withLock { $0.contentLength } }
    set { state.withLock { $0.contentLength = newValue } }
  }

  /// Whether requests may start at any offset; false by default. If it is false or `contentLength` is
  /// unknown, all requests start at 0.
  open var isByteRangeAccessSupported: Bool {
    get { state.withLock { $0.isByteRangeAccessSupported } }
    set { state.withLock { $0.isByteRangeAccessSupported = newValue } }
  }

  /// Whether all bytes are available at once. Stored without effect.
  open var isEntireLengthAvailableOnDemand: Bool {
    get { state.withLock { $0.isEntireLengthAvailableOnDemand } }
    set { state.withLock { $0.isEntireLengthAvailableOnDemand = newValue } }
  }

  /// The time at which the resource must be requested again. Stored without effect.
  open var renewalDate: Date? {
    get { state.withLock { $0.renewalDate } }
    set { state.withLock { $0.renewalDate = newValue } }
  }
}

/// The requested bytes of a resource, and their receiver. Any thread.
open class AVAssetResourceLoadingDataRequest: NSObject, @unchecked Sendable {
  // Unchecked because the class is open; a mutex protects the mutable state.

  /// The offset of the first requested byte.
  public let requestedOffset: Int64
  /// The number of requested bytes. A request for information about the resource is for 2 bytes. Other ones
  /// are for all bytes up to the end of the resource; `Int.max` if its length is unknown.
  public let requestedLength: Int
  /// Whether all bytes from the offset to the end of the resource are requested. False in a request for
  /// information. The request is cancelled if the rest is not needed.
  public let requestsAllDataToEndOfResource: Bool

  private let offset: Mutex<Int64>
  private let onData: @Sendable (Data) -> Void

  init(offset: Int64, length: Int, isToEnd: Bool, onData: @escaping @Sendable (Data) -> Void) {
    requestedOffset = offset
    requestedLength = length
    requestsAllDataToEndOfResource = isToEnd
    self.offset = Mutex(offset)
    self.onData = onData
  }

  /// The offset after the last provided byte, where the next `respond` continues.
  open var currentOffset: Int64 { offset.withLock { $0 } }

  /// Provides the next bytes, in order and in any number. Copies them and does not wait for the reader, so a
  /// delegate with much data should provide it in pieces.
  open func respond(with data: Data) {
    guard !data.isEmpty else { return }
    offset.withLock { offset in
      // A delegate may provide more than was requested, at an offset near the largest too.
      let (sum, overflows) = offset.addingReportingOverflow(Int64(data.count))
      offset = overflows ? .max : sum
    }
    onData(data)
  }
}
