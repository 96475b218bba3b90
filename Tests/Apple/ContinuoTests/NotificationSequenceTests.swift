import Continuo
import PulseTestSupport
import Testing

/// `NotificationCenter.notifications(named:object:)`, which Linux's Foundation lacks.
@Suite("Notifications as a sequence", .timeLimit(.minutes(10)))
struct NotificationSequenceTests {
  private let name = Notification.Name("NotificationSequenceTests")
  private let center = NotificationCenter()

  @Test("Gives every notification of that name and object, in order")
  func inOrder() async {
    let (item, other) = (
      AVPlayerItem(url: URL(fileURLWithPath: "/a")), AVPlayerItem(url: URL(fileURLWithPath: "/b"))
    )
    var own = center.notifications(named: name, object: item).makeAsyncIterator()
    var every = center.notifications(named: name).makeAsyncIterator()
    for number in 0..<5 {
      center.post(name: name, object: item, userInfo: ["number": number])
      center.post(name: name, object: other)
      center.post(name: Notification.Name("another"), object: item)
    }
    for number in 0..<5 {
      #expect(await own.next()?.userInfo?["number"] as? Int == number)
      #expect(await every.next()?.object as AnyObject === item)
      #expect(await every.next()?.object as AnyObject === other)
    }
  }

  @Test("Keeps the newest 256 of those that nobody took")
  func bounded() async {
    var iterator = center.notifications(named: name).makeAsyncIterator()
    for number in 0..<1000 { center.post(name: name, object: nil, userInfo: ["number": number]) }
    for number in 744..<1000 {
      #expect(await iterator.next()?.userInfo?["number"] as? Int == number)
    }
  }

  @Test("Ends when the task is cancelled, or the iterator released; nothing is kept")
  func cancelled() async {
    var item: AVPlayerItem? = AVPlayerItem(url: URL(fileURLWithPath: "/a"))
    weak let known = item
    let (begun, continuation) = AsyncStream<Void>.makeStream()
    let task = Task { [center, name, item] in
      var iterator = center.notifications(named: name, object: item).makeAsyncIterator()
      continuation.yield()
      var count = 0
      while await iterator.next() != nil { count += 1 }
      return count
    }
    for await _ in begun { break }
    center.post(name: name, object: item)
    task.cancel()
    #expect(await task.value <= 1)
    do {
      var iterator: NotificationCenter.Notifications.Iterator? =
        center.notifications(named: name, object: item).makeAsyncIterator()
      center.post(name: name, object: item)
      #expect(await iterator?.next() != nil)
      iterator = nil
    }
    item = nil
    #expect(known == nil)
  }

  @Test func endedIterationKeepsNothingThatWasNotTaken() {
    var item: AVPlayerItem? = AVPlayerItem(url: URL(fileURLWithPath: "/a"))
    weak let known = item
    var iterator: NotificationCenter.Notifications.Iterator? =
      center.notifications(named: name).makeAsyncIterator()
    center.post(name: name, object: item)
    item = nil
    // The pending notification has it.
    let isKept = known != nil
    #expect(isKept)
    withExtendedLifetime(iterator) {}
    iterator = nil
    #expect(known == nil)
  }

  @Test("Is used as on Apple's systems, on the main actor too")
  @MainActor func ends() async {
    TestEnvironment.use()
    let item = AVPlayerItem(url: TestEnvironment.song("id3v1"))
    let player = AVPlayer(playerItem: item)
    let ended = NotificationCenter.default.notifications(
      named: AVPlayerItem.didPlayToEndTimeNotification, object: item)
    let iterator = ended.makeAsyncIterator()
    player.play()
    for await notification in Following(iterator) {
      MainActor.assertIsolated()
      #expect(notification.object as AnyObject === item)
      break
    }
    // In a task, as in most applications.
    await player.seek(to: .zero)
    let task = Task {
      for await _ in NotificationCenter.default.notifications(
        named: AVPlayerItem.didPlayToEndTimeNotification)
      {
        return player.currentItem === item
      }
      return false
    }
    // The iteration begins in the task's first turn of the main actor.
    await Task.yield()
    player.play()
    #expect(await task.value)
  }

  /// A sequence that goes on with an iterator, so that the iteration has begun before what is waited for.
  private struct Following: AsyncSequence {
    let iterator: NotificationCenter.Notifications.Iterator
    init(_ iterator: NotificationCenter.Notifications.Iterator) { self.iterator = iterator }
    func makeAsyncIterator() -> NotificationCenter.Notifications.Iterator { iterator }
  }
}
