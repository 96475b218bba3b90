public import Foundation

extension NotificationCenter {
  /// The notifications that are posted from the moment on at which an iteration begins, as Apple's Foundation has them:
  ///
  /// ```swift
  /// for await notification in NotificationCenter.default.notifications(named: AVPlayerItem.didPlayToEndTimeNotification) {
  ///   print(notification)
  /// }
  /// ```
  ///
  /// The loop ends when its task is cancelled. Any thread; does not block.
  ///
  /// - Parameters:
  ///   - name: the notifications' name.
  ///   - object: the object whose notifications are wanted; nil for every object's. Is kept as long as the sequence.
  public func notifications(
    named name: Notification.Name, object: (any AnyObject & Sendable)? = nil
  ) -> Notifications {
    Notifications(center: self, name: name, object: object)
  }

  /// Notifications as a sequence. Each iteration gets all that are posted while it lasts; of those that it has not taken
  /// yet the newest 256 are kept.
  public final class Notifications: AsyncSequence, Sendable {
    /// What `for await` uses. The notifications of an iterator begin when it is made.
    public struct Iterator: AsyncIteratorProtocol {
      private var posted: AsyncStream<Posted>.Iterator

      fileprivate init(_ posted: AsyncStream<Posted>) { self.posted = posted.makeAsyncIterator() }

      /// The next notification; waits for it. Nil once the task was cancelled.
      public mutating func next() async -> Notification? { await posted.next()?.notification }

      /// As `next()`, on the caller's actor.
      public mutating func next(isolation actor: isolated (any Actor)?) async -> Notification? {
        await posted.next(isolation: actor)?.notification
      }
    }

    /// Unchecked: Foundation hands one notification to all observers, on whatever threads they are, so nobody changes
    /// what was posted.
    fileprivate struct Posted: @unchecked Sendable {
      let notification: Notification
    }

    /// Unchecked: Foundation's observer is an opaque object that is only given back to the centre, which has a lock.
    private struct Observer: @unchecked Sendable {
      let value: any NSObjectProtocol
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

    /// Begins an iteration. It ends when the iterator is released or its task cancelled.
    public func makeAsyncIterator() -> Iterator {
      let (stream, continuation) = AsyncStream.makeStream(
        of: Posted.self, bufferingPolicy: .bufferingNewest(Self.limit))
      let observer = Observer(
        value: center.addObserver(forName: name, object: object, queue: nil) { notification in
          continuation.yield(Posted(notification: notification))
        })
      continuation.onTermination = { [center] _ in center.removeObserver(observer.value) }
      return Iterator(stream)
    }
  }
}
