public import ContinuoNetworking
public import OpenCombine

extension URLSession {
  /// A publisher that loads a request for each subscriber, and sends its data and response.
  ///
  /// The task starts with the first demand, and is cancelled with the subscription. Subscribers are called on the
  /// session's delegate queue, or on the requesting thread if the task ends during the request.
  public struct DataTaskPublisher: Publisher {
    /// The data and the response.
    public typealias Output = (data: Data, response: URLResponse)
    /// The error with which the task ended.
    public typealias Failure = URLError

    /// The request to be loaded.
    public let request: URLRequest
    /// The session that loads the request.
    public let session: URLSession

    /// Creates a publisher that loads `request` in `session`.
    public init(request: URLRequest, session: URLSession) {
      self.request = request
      self.session = session
    }

    /// Creates a task for the subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      var task: URLSessionDataTask?
      // The future keeps the result of a task that ends before the demand has reached the future.
      let result = Future<Output, Failure> { promise in
        // Safe, because the future guards its promise by a lock, and the promise is called once.
        nonisolated(unsafe) let promise = promise
        task = session.dataTask(with: request) { data, response, error in
          if let response, error == nil {
            promise(.success((data ?? Data(), response)))
          } else {
            promise(.failure(error as? URLError ?? URLError(.unknown)))
          }
        }
      }
      result
        .handleEvents(receiveCancel: task?.cancel, receiveRequest: { [task] _ in task?.resume() })
        .receive(subscriber: subscriber)
    }
  }

  /// Returns a publisher that loads `url`.
  public func dataTaskPublisher(for url: URL) -> DataTaskPublisher {
    dataTaskPublisher(for: URLRequest(url: url))
  }

  /// Returns a publisher that loads `request`.
  public func dataTaskPublisher(for request: URLRequest) -> DataTaskPublisher {
    DataTaskPublisher(request: request, session: self)
  }
}
