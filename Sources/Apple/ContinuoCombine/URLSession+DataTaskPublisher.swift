public import ContinuoNetworking
public import OpenCombine
import Synchronization

extension URLSession {
  /// A publisher that loads a request for each subscriber, and sends its data and response.
  ///
  /// The task is created and starts with the first demand, and is cancelled with the subscription. Subscribers are called on the
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

    /// Hands the subscriber a subscription, which creates a task at the first demand.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      var load: DemandedLoad?
      // The future keeps the result of a task that ends before the demand has reached the future.
      let result = Future<Output, Failure> { load = DemandedLoad(request, in: session, fulfilling: $0) }
      result
        .handleEvents(receiveCancel: load?.cancel, receiveRequest: load?.start)
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

/// The load of one subscriber, whose task is created at the first demand.
///
/// Unchecked: the future guards its promise by a lock, and the promise is called once.
private final class DemandedLoad: @unchecked Sendable {
  typealias Promise = Future<URLSession.DataTaskPublisher.Output, URLError>.Promise

  private let request: URLRequest
  private let session: URLSession
  private let promise: Promise
  private let state = Mutex<(task: URLSessionDataTask?, isCancelled: Bool)>((nil, false))

  init(_ request: URLRequest, in session: URLSession, fulfilling promise: @escaping Promise) {
    self.request = request
    self.session = session
    self.promise = promise
  }

  @Sendable func start(_ demand: Subscribers.Demand) {
    // The task keeps its handler, so the handler must not keep this object, which keeps the task.
    nonisolated(unsafe) let promise = promise
    let task = state.withLock { state -> URLSessionDataTask? in
      guard demand > .none, state.task == nil, !state.isCancelled else { return nil }
      state.task = session.dataTask(with: request) { data, response, error in
        if let response, error == nil {
          promise(.success((data ?? Data(), response)))
        } else {
          promise(.failure(error as? URLError ?? URLError(.unknown)))
        }
      }
      return state.task
    }
    task?.resume()
  }

  func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    task?.cancel()
  }
}
