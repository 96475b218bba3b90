import Continuo
import PulseTestSupport
import Testing

/// Observers of notifications on `OperationQueue.main`, as most code for Apple's systems registers them.
@Suite("Notifications on OperationQueue.main", .timeLimit(.minutes(10)))
struct MainQueueTests {
  init() { TestEnvironment.use() }

  @Test(
    "Come in order with what is observed by key, wherever the main thread is",
    arguments: ["dispatch", "runloop"])
  func mainThread(_ style: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "timeout", "120", product("ContinuoProbe"), style, TestEnvironment.song("id3v1").path,
    ]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(
      String(decoding: output, as: UTF8.self).split(separator: "\n") == [
        "launched", "active", "category", "rate 1.0", "rate changed", "ended", "item none", "background",
      ])
  }

  /// The main of a test's process is an `async` one.
  @Test("Come with an async main, from calls on the main actor and from elsewhere")
  @MainActor func asyncMain() async {
    let item = AVPlayerItem(url: TestEnvironment.song("id3v1"))
    let player = AVPlayer(playerItem: item)
    let (lines, continuation) = AsyncStream<String>.makeStream()
    func follow(_ name: Notification.Name, of object: Any, _ queue: OperationQueue) -> any NSObjectProtocol {
      NotificationCenter.default.addObserver(forName: name, object: object, queue: queue) { note in
        let isOnMain = queue !== OperationQueue.main || MainActor.assumeIsolated { true }
        continuation.yield(isOnMain ? note.name.rawValue : "elsewhere")
      }
    }
    let other = OperationQueue()
    let name = Notification.Name("elsewhere")
    let observers = [
      follow(.AVPlayerItemDidPlayToEndTime, of: item, .main), follow(name, of: item, .main),
      follow(name, of: item, other),
    ]
    player.play()
    var iterator = lines.makeAsyncIterator()
    #expect(await iterator.next() == "AVPlayerItemDidPlayToEndTimeNotification")
    // A thread that posts waits until the main queue has had it.
    Thread.detachNewThread {
      NotificationCenter.default.post(name: name, object: item)
      continuation.yield("posted")
    }
    #expect(
      await [iterator.next(), iterator.next(), iterator.next()] == ["elsewhere", "elsewhere", "posted"])
    for observer in observers { NotificationCenter.default.removeObserver(observer) }
    NotificationCenter.default.post(name: name, object: item)
    continuation.finish()
    #expect(await iterator.next() == nil)
  }
}
