import Foundation
import FoundationNetworking
import Synchronization
import Transfer
import TransferService

extension TaskLoad {
  /// The cache of the session; nil for uploads, for `file` and `data` URLs, and in background sessions.
  var cache: URLCache? {
    let isOther = task is URLSessionUploadTask || core.values.identifier != nil
    return isOther || LocalContent.isMeant(by: url) ? nil : core.values.cache
  }

  /// Answers the task from the cache if its policy permits it, and returns whether it did. Otherwise prepares
  /// the request for the server. Throws if the policy permits neither. Blocks on the disk.
  func consult(_ cache: URLCache?, for request: inout TransferRequest) throws -> Bool {
    let own = task.currentRequest?.cachePolicy ?? .useProtocolCachePolicy
    let policy = own == .useProtocolCachePolicy ? core.values.requestCachePolicy : own
    // A download is loaded, unless its policy demands the stored response.
    let isUsed =
      !(task is URLSessionDownloadTask)
      || [.returnCacheDataElseLoad, .returnCacheDataDontLoad].contains(policy)
    let stored = isUsed ? cache?.entry(request.url.text) : nil
    switch CacheRule(policy: policy, request: request).decision(stored, at: core.networking.date) {
    case .use:
      guard let cached = stored?.response else { return false }
      state.withLock { $0.isComplete = true }
      task.own.withLock { $0.isCached = true }
      try deliver(.data(cached.data, type: ""), as: cached.response)
      return true
    case .fail: throw URLError.of(.resourceUnavailable, url, "the cache has no response to the request")
    case .validate(let fields):
      for (name, value) in fields { request.fields.set(name, value) }
      state.withLock { $0.validating = stored }
    case .load:
      if policy == .reloadIgnoringLocalAndRemoteCacheData, request.fields["Cache-Control"] == nil {
        request.fields.set("Cache-Control", "no-cache")
      }
    }
    return false
  }

  /// Delivers a stored response. Calls `proceed` after a delegate has allowed it. Returns false if no delegate
  /// receives responses, or if the URL of `entry` cannot be parsed.
  func deliver(_ entry: CacheEntry, then proceed: @escaping @Sendable () -> Void) -> Bool {
    guard let cached = entry.response else { return false }
    task.own.withLock { $0.isCached = true }
    return deliver(cached.response, cached.data, then: proceed)
  }

  /// Forgets the stored response that the server was to validate, and removes the conditions from `next`.
  func abandonValidation(_ next: inout TransferRequest) {
    guard state.withLock({ $0.validating.take() }) != nil else { return }
    for name in ["If-None-Match", "If-Modified-Since"] { next.fields.remove(name) }
  }

  /// Returns the stored response, updated and stored again, if the server has validated it; nil otherwise.
  func validated(by head: ResponseHead) -> CacheEntry? {
    guard head.status == 304, var entry = state.withLock({ $0.validating.take() }) else { return nil }
    entry.update(by: head, at: core.networking.date)
    store(entry)
    return entry
  }

  /// Removes the stored response that a successful unsafe request has made invalid.
  func invalidate(_ request: TransferRequest, _ head: ResponseHead) {
    guard request.isUnsafe, (200..<400).contains(head.status), let cache = core.values.cache else { return }
    cache.forget(request.url.text)
    core.networking.cacheFiles.add { cache.erase(request.url.text) }
  }

  func prepareToStore(_ head: ResponseHead, of request: TransferRequest) {
    // The response of an unverified server is only for the task whose delegate has accepted the server.
    guard cache != nil, request.check?.isVerified != false else { return }
    var request = request
    abandonValidation(&request)
    let entry = CacheEntry(head, to: request, at: core.networking.date)
    state.withLock { $0.storing = entry }
  }

  /// Collects bytes of the body for the cache. Drops a body that is longer than the cache's limit.
  func keepForCache(_ bytes: [UInt8]) {
    let longest = cache?.longest ?? 0
    state.withLock { state in
      guard let count = state.storing?.body.count else { return }
      if count + bytes.count > longest { state.storing = nil }
      state.storing?.body.append(contentsOf: bytes)
    }
  }

  /// Stores the response, if it is to be stored and the delegate does not refuse, and ends the task.
  func storeAndFinish() {
    guard let entry = state.withLock({ $0.storing.take() }) else { return finish(nil) }
    guard case .delegate = task.receiver, let delegate = task.taskDelegate as? any URLSessionDataDelegate,
      let task = task as? URLSessionDataTask, let proposed = entry.response
    else {
      store(entry)
      return finish(nil)
    }
    state.withLock { $0.isComplete = true }
    let answer: @Sendable (CachedURLResponse?) -> Void = { [self] chosen in
      if let chosen {
        var entry = entry
        if chosen !== proposed { entry.replace(by: chosen) }
        store(entry, chosen.storagePolicy)
      }
      finish(nil)
    }
    core.post {
      delegate.urlSession(
        task.session, dataTask: task, willCacheResponse: proposed, completionHandler: once(answer))
    }
  }

  /// Stores a response in memory, and later on the disk.
  private func store(_ entry: CacheEntry, _ policy: URLCache.StoragePolicy = .allowed) {
    guard let cache else { return }
    let removals = cache.keep(entry, policy)
    core.networking.cacheFiles.add { cache.write(entry, policy, after: removals) }
  }
}
