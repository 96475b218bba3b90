import AppLifecycle
import TransferService

extension URLCache {
  /// The cache of default sessions, with 4 MiB in memory and 20 MiB on the disk. A test device has one of its
  /// own, in memory only. Configurations that exist already keep their cache when a new one is assigned.
  public static var shared: URLCache {
    get { Device.current.networking.cache }
    set { Device.current.networking.cache = newValue }
  }

  /// Stores a response for the current request of a task in place of an earlier one.
  public func storeCachedResponse(_ cachedResponse: CachedURLResponse, for dataTask: URLSessionDataTask) {
    if let request = dataTask.currentRequest { storeCachedResponse(cachedResponse, for: request) }
  }

  /// Passes the stored response for the current request of a task to the handler, on the delegate queue of
  /// its session; nil if none.
  public func getCachedResponse(
    for dataTask: URLSessionDataTask, completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
  ) {
    let core = dataTask.session.core
    core.networking.cacheFiles.add { [self] in
      let response = dataTask.currentRequest.flatMap { cachedResponse(for: $0) }
      core.post { completionHandler(response) }
    }
  }

  /// Removes the stored response for the current request of a task.
  public func removeCachedResponse(for dataTask: URLSessionDataTask) {
    if let request = dataTask.currentRequest { removeCachedResponse(for: request) }
  }
}
