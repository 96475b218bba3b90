import Continuo
import TestSupport
import Testing

@MainActor
@Suite("A client written for Apple's systems", .timeLimit(.minutes(10)))
struct AudioScreenTests {
  init() { TestEnvironment.use() }

  @Test("The tutorial's audio screen plays three songs in real time and shows every hundredth")
  func audioScreen() async {
    // In a process of its own: who is told a second late is told no longer of each hundredth.
    await #expect(processExitsWith: .success) { @MainActor in await AudioScreenTests.playSongs() }
  }

  private static func playSongs() async {
    TestEnvironment.use()
    let names = ["id3v1", "id3v23-cover", "id3v24-cover"]
    let screen = AudioScreen(songs: names.map(TestEnvironment.song))
    precondition(screen.titles == ["id3v1"])
    let (finished, continuation) = AsyncStream<Void>.makeStream()
    screen.onFinish = { continuation.yield() }
    screen.playPauseTapped()
    precondition(screen.statuses == [.waitingToPlayAtSpecifiedRate])
    for await _ in finished { break }
    precondition(screen.titles == names)
    precondition(screen.ends == 3)
    precondition(screen.statuses.dropFirst().first == .playing)
    // Each song's hundredths from 0 on, none left out and none twice.
    let songs = screen.hundredths.split { $0 == 0 }
    precondition(songs.count == 3)
    for song in songs { precondition(Array(song) == Array(1...Int64(song.count))) }
    precondition(screen.hundredths.count > 120)
    precondition(screen.timeLabel.hasPrefix("0."))
    screen.close()
  }

  @Test("Handlers are called on the main queue while the main actor waits")
  func mainQueue() async {
    let player = AVPlayer(url: TestEnvironment.song("id3v1"))
    let finished = await player.seek(to: CMTime(value: 1, timescale: 10))
    #expect(finished)
    let (changes, continuation) = AsyncStream<Bool>.makeStream()
    let observation = player.observe(\.currentItem?.status, options: [.initial, .new]) { player, change in
      MainActor.assumeIsolated {
        if player.currentItem?.status == .readyToPlay { continuation.yield(change.newValue == .readyToPlay) }
      }
    }
    for await isReady in changes {
      #expect(isReady)
      break
    }
    #expect(player.status == .readyToPlay)
    #expect(abs(player.currentTime().seconds - 0.1) < 0.001)
    observation.invalidate()
  }

  @Test("Many threads call one player while it plays; it neither stops nor loses its order")
  func manyThreads() async {
    let player = AVQueuePlayer()
    let song = TestEnvironment.song("id3v1")
    let seen = Sequence()
    let observation = player.observe(\.currentItem, options: [.old, .new]) { _, change in
      seen.add(old: change.oldValue ?? nil, new: change.newValue ?? nil)
    }
    let token = player.addPeriodicTimeObserver(
      forInterval: CMTime(value: 1, timescale: 1000), queue: DispatchQueue.global()
    ) { _ in _ = player.currentTime() }
    player.play()
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<4 {
        group.addTask {
          for step in 0..<1000 {
            switch (worker + step) % 6 {
            case 0: player.insert(AVPlayerItem(url: song), after: nil)
            case 1: player.seek(to: CMTime(value: Int64(step % 40), timescale: 100)) { _ in }
            case 2: player.advanceToNextItem()
            case 3: player.rate = step % 2 == 0 ? 1 : 0
            case 4: if let last = player.items().last { player.remove(last) }
            default: _ = (player.currentItem?.status, player.timeControlStatus, player.currentTime())
            }
          }
        }
      }
    }
    player.removeAllItems()
    #expect(player.currentItem == nil && player.items().isEmpty)
    #expect(seen.isUnbroken)
    player.removeTimeObserver(token)
    observation.invalidate()
    player.pause()
  }
}

/// Whether each change begins where the one before ended.
final class Sequence: @unchecked Sendable {
  // Used on the main queue only.
  private var last: AVPlayerItem?
  private(set) var isUnbroken = true

  func add(old: AVPlayerItem?, new: AVPlayerItem?) {
    if old !== last || old === new { isUnbroken = false }
    last = new
  }
}

/// What an application would set at its start: here a device that plays to nobody, in real time.
enum TestEnvironment {
  private static let once: Void = {
    PlaybackEnvironment.current = PlaybackEnvironment(output: .simulated)
  }()

  static func use() { once }

  static func song(_ name: String) -> URL {
    Repository.fixtures.appendingPathComponent("\(name).mp3")
  }
}
