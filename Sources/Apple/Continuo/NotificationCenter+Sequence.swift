public import Foundation

extension NotificationCenter {
  /// Returns the notifications posted from the start of an iteration, as Apple's Foundation does:
  ///
  /// ```swift
  /// let name = AVPlayerItem.didPlayToEndTimeNotification
  /// for await notification in NotificationCenter.default.notifications(named: name) {
  ///   print(notification)
  /// }
  /// ```
  ///
  /// The loop ends when its task is cancelled. Any thread; does not block.
  ///
  /// - Parameters:
  ///   - name: the name of the notifications.
  ///   - object: the posting object, retained as long as the sequence; nil matches every object.
  public func notifications(
    named name: Notification.Name, object: (any AnyObject & Sendable)? = nil
  ) -> Notifications {
    Notifications(center: self, name: name, object: object)
  }

  /// A sequence of notifications. Each iteration receives the notifications posted during it, and buffers the
  /// newest 256.
  public final class Notifications: AsyncSequence, Sendable {
    /// An iterator, as used by `for await`. It receives notifications posted after its creation.
    public struct Iterator: AsyncIteratorProtocol {
      private var posted: AsyncStream<Posted>.Iterator

      fileprivate init(_ posted: AsyncStream<Posted>) { self.posted = posted.makeAsyncIterator() }

      /// Waits for the next notification and returns it; nil after the task was cancelled.
      public mutating func next() async -> Notification? { await posted.next()?.notification }

      /// Waits for the next notification on the caller's actor and returns it; nil after cancellation.
      public mutating func next(isolation actor: isolated (any Actor)?) async -> Notification? {
        await posted.next(isolation: actor)?.notification
      }
    }

    /// Unchecked: Foundation passes one notification to all observers on any thread; none may change it.
    fileprivate struct Posted: @unchecked Sendable {
      let notification: Notification
    }

    private static let limit = 256

    private let center: NotificationCenter
    private let name: Notification.Name
    private let object: (any AnyObject & Sendable)?

    fileprivate init(
      center: NotificationCenter, name: Notification.Name, object: (any AnyObject & Sendable)?
    ) {
      self.center = center
      self.name = name
      self.object = object
    }

    /// Starts an iteration and returns its iterator. The iteration ends when the iterator is released or its
    /// task cancelled.
    public func makeAsyncIterator() -> Iterator {
      let (stream, continuation) = AsyncStream.makeStream(
        of: Posted.self, bufferingPolicy: .bufferingNewest(Self.limit))
      // Safe, because the opaque observer is only passed back to the center, which has a lock.
      nonisolated(unsafe) let observer = center.addObserver(forName: name, object: object, queue: nil) {
        continuation.yield(Posted(notification: $0))
      }
      continuation.onTermination = { [center] _ in center.removeObserver(observer) }
      return Iterator(stream)
    }
  }
}
