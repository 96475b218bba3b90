import Clocks
import ControlProtocol
import Dispatch
import Glibc
import Jukebox
import JukeboxPlayback
import MusicFiles
import Synchronization
import TestSupport
import Testing

@testable import ContinuoCommand

/// What is written when, in virtual time, into a real directory.
@Suite(.timeLimit(.minutes(10))) struct StateKeeperTests {
  let folder: TemporaryFolder
  let clock = VirtualClock()
  let host: JukeboxHost
  let keeper: StateKeeper
  let told = Told()

  /// The lines for a person.
  final class Told: Sendable {
    private let state = Mutex<(lines: [String], then: (@Sendable () -> Void)?)>(([], nil))

    var lines: [String] { state.withLock { $0.lines } }
    /// Called with every line from now on.
    func then(_ body: (@Sendable () -> Void)?) { state.withLock { $0.then = body } }
    func take(_ line: String) {
      state.withLock {
        $0.lines.append(line)
        return $0.then
      }?()
    }
  }

  init() throws {
    folder = try TemporaryFolder()
    var generator = SystemRandomNumberGenerator()
    host = JukeboxHost(JukeboxMachine(using: &generator))
    keeper = StateKeeper(
      host, in: try StateDirectory(path: MediaPath(folder.path)), clock: clock, complain: told.take)
    host.onChange { [keeper] in keeper.note($0) }
    clock.runUntilIdle()
  }

  func add(_ count: Int = 1) throws {
    let song = Song(path: Array("/music/a.mp3".utf8))
    for _ in 0..<count { try host.change { machine throws(JukeboxError) in try machine.add([song]) } }
  }

  /// A change of what is no queue, which nobody notes.
  func setVolume(_ volume: Int) { try? host.change { $0.setVolume(volume) } }

  /// Songs in the file; nil if there is none.
  var kept: Int? { try? SongQueue(encoded: folder.read("queue")).count }
  var keptVolume: Int? { try? SavedPlayback(encoded: folder.read("playback")).volume }

  /// Nothing can take the place of a directory.
  func obstruct(_ name: String) { #expect(mkdir(folder.file(name), 0o700) == 0) }
  func free(_ name: String) { #expect(rmdir(folder.file(name)) == 0) }
  func remove(_ name: String) { #expect(unlink(folder.file(name)) == 0) }

  // MARK: When

  @Test func changesAreCollectedForATenthOfASecond() throws {
    for _ in 0..<9 {
      try add()
      clock.advance(bySeconds: 0.01)
    }
    #expect(kept == nil)
    try add()
    clock.advance(bySeconds: 0.02)
    #expect(kept == 10)
  }

  @Test func positionsOfLongSongsAreKept() throws {
    #expect(throws: (any Error).self) { try folder.read("positions") }
    try host.change { machine throws(JukeboxError) in
      machine.positions.threshold = 60
      machine.notePosition(in: Song(path: Array("/music/a.mp3".utf8)), at: (100, 3600))
      machine.setRepeat(true)
    }
    clock.advance(bySeconds: 1)
    let kept = try ResumePositions(encoded: folder.read("positions"))
    #expect(kept.all.map(\.seconds) == [100])
    // Nothing is written again before the next one.
    remove("positions")
    try host.change { $0.setRepeat(false) }
    clock.advance(bySeconds: 1)
    #expect(throws: (any Error).self) { try folder.read("positions") }
  }

  @Test func queueIsWrittenOnlyWhenItHasChanged() throws {
    try add()
    clock.advance(bySeconds: 1)
    #expect(kept == 1)
    remove("queue")
    setVolume(3)
    clock.advance(bySeconds: 1)
    #expect(kept == nil && keptVolume == 3)
  }

  /// They come in many batches at each start.
  @Test func tagsOfFilesAreNoReasonToWriteTheQueue() throws {
    try add()
    clock.advance(bySeconds: 1)
    remove("queue")
    let id = try #require(host.read { $0.queue[position: 0]?.id })
    try host.change { $0.setMetadata([(id, SongMetadata(duration: 3))]) }
    clock.advance(bySeconds: 1)
    #expect(kept == nil)
    try host.change { $0.setMetadata([(id, SongMetadata(duration: 4))]) }
    try add()
    clock.advance(bySeconds: 1)
    #expect(kept == 2)
  }

  @Test func placeIsWrittenTwiceASecondWhileSoundMoves() throws {
    try add()
    try host.change { $0.play() }
    clock.advance(bySeconds: 1)
    host.onChange { _ in }
    setVolume(7)
    clock.advance(bySeconds: 0.5)
    #expect(keptVolume == 7)
    try host.change { $0.stop() }
    keeper.note(.player)
    clock.advance(bySeconds: 1)
    setVolume(8)
    clock.advance(bySeconds: 100)
    #expect(keptVolume == 7)
    #expect(clock.nextDeadline == nil, "nothing is written, and nobody wakes, while nothing moves")
  }

  @Test func everythingIsThereAtTheEnd() throws {
    try add()
    setVolume(9)
    keeper.save()
    #expect(kept == 1 && keptVolume == 9)
    #expect(clock.nextDeadline == nil, "it was the last")
  }

  /// Commands of clients are answered until the server is closed, which is after the first save.
  @Test func changesAfterASaveAreInTheNext() throws {
    keeper.save()
    try add()
    #expect(kept == nil)
    keeper.save()
    #expect(kept == 1)
  }

  /// The thread that ends a hanging player saves too, and must not end the process during the first save.
  @Test func aSecondSaveWaitsForTheFirst() async throws {
    obstruct("queue")
    try add()
    let goesOn = DispatchSemaphore(value: 0)
    await withCheckedContinuation { isWriting in
      told.then {
        isWriting.resume()
        goesOn.wait()
      }
      DispatchQueue.global().async { [keeper] in keeper.save() }
    }
    told.then(nil)
    free("queue")
    let isEarly = await withCheckedContinuation { isOver in
      let hasSaved = DispatchSemaphore(value: 0)
      DispatchQueue(label: "second save").async { [keeper] in
        keeper.save()
        hasSaved.signal()
      }
      DispatchQueue(label: "observer").async {
        // On a busy machine this shows less, and does not fail.
        let isEarly = hasSaved.wait(timeout: .now() + 0.2) == .success
        goesOn.signal()
        if !isEarly { hasSaved.wait() }
        isOver.resume(returning: isEarly)
      }
    }
    #expect(!isEarly && kept == 1)
  }

  // MARK: What cannot be written

  @Test func failedSaveIsTriedAgainWhileIdle() throws {
    obstruct("queue")
    try add(400)
    clock.advance(bySeconds: 0.5)
    #expect(told.lines.count == 1)
    #expect(told.lines.first?.contains(folder.path) == true)
    free("queue")
    clock.advance(bySeconds: 1)
    #expect(kept == 400)
    #expect(told.lines.count == 2)
    #expect(told.lines.last?.contains("saved again") == true)
    // From here on as if nothing had been.
    #expect(clock.nextDeadline == nil)
    try add()
    clock.advance(bySeconds: 0.2)
    #expect(kept == 401)
    #expect(told.lines.count == 2)
  }

  @Test func savedAgainMeansAllOfIt() throws {
    obstruct("queue")
    try add()
    clock.advance(bySeconds: 0.5)
    obstruct("queue.new")
    free("queue")
    let keptThen = Mutex<Int?>(nil)
    told.then { [told, host, folder] in
      if told.lines.last?.contains("queue.new") == true {
        // During the write that succeeds.
        _ = try? host.change { machine throws(JukeboxError) in
          try machine.add([Song(path: Array("/music/b.mp3".utf8))])
        }
      } else {
        keptThen.withLock { $0 = try? SongQueue(encoded: folder.read("queue")).count }
      }
    }
    clock.advance(bySeconds: 2)
    #expect(told.lines.last?.contains("saved again") == true)
    #expect(keptThen.withLock { $0 } == 2)
    told.then(nil)
  }

  @Test func failedSaveOfThePlaceIsTriedAgainWithoutTheQueue() throws {
    remove("playback")
    obstruct("playback")
    setVolume(50)
    try add()
    clock.advance(bySeconds: 0.5)
    #expect(told.lines.count == 1)
    remove("queue")
    free("playback")
    clock.advance(bySeconds: 1)
    #expect(keptVolume == 50)
    #expect(kept == nil, "it had been written, and nothing changed")
    #expect(told.lines.count == 2)
  }

  @Test func retriesBecomeRareAndNeverCease() throws {
    obstruct("queue")
    try add()
    try host.change { $0.play() }
    var waits: [Double] = []
    clock.advance(bySeconds: 0.1)
    for _ in 0..<10 {
      let next = try #require(clock.nextDeadline)
      waits.append(next.seconds(since: clock.now))
      clock.advance(to: next)
    }
    #expect(waits.first == 1)
    #expect(zip(waits, waits.dropFirst()).allSatisfy { $0 <= $1 })
    #expect(waits.last == 30, "\(waits)")
    #expect(told.lines.count == 1)
    free("queue")
    clock.advance(bySeconds: 30)
    #expect(kept == 1)
  }

  @Test func changeIsAReasonToTryAtOnce() throws {
    obstruct("queue")
    try add()
    clock.advance(bySeconds: 100)
    free("queue")
    try add()
    clock.advance(bySeconds: 0.2)
    #expect(kept == 2)
  }

  @Test func whoIsToldHoldsNoLock() throws {
    told.then { [keeper, host] in
      // All that could wait for the keeper.
      keeper.note(.playlist)
      _ = host.seconds
      keeper.save()
    }
    obstruct("queue")
    try add()
    clock.advance(bySeconds: 0.5)
    #expect(told.lines.count == 1)
    told.then(nil)
  }

  // MARK: What stands in the way

  @Test(arguments: ["fifo", "folder", "link", "socket"])
  func otherThingInPlaceOfTheNewFile(kind: String) throws {
    let name = folder.file("queue.new")
    switch kind {
    case "fifo": #expect(mkfifo(name, 0o600) == 0)
    case "folder": obstruct("queue.new")
    case "link": try folder.link("queue.new", to: folder.file("elsewhere"))
    default: #expect(mknod(name, S_IFSOCK | 0o600, 0) == 0)
    }
    for count in 1...3 {
      try add()
      clock.advance(bySeconds: 0.5)
      #expect(kept == count)
    }
    #expect(told.lines.count == 1, "once for each thing")
    #expect(told.lines.first?.contains("queue.new") == true)
    #expect(folder.names == ["lock", "playback", "queue", "queue.new"])
  }

  // MARK: What is damaged

  /// What a server started with such a file, and what is on the disk when it is killed a second later.
  func restarted(with queue: [UInt8]) throws -> (ids: [UInt32], kept: Int?) {
    let other = try TemporaryFolder()
    try other.write("queue", queue)
    let directory = try StateDirectory(path: MediaPath(other.path))
    let host = JukeboxHost(StateKeeper.load(directory, complain: told.take))
    let keeper = StateKeeper(host, in: directory, clock: clock, complain: told.take)
    clock.advance(bySeconds: 1)
    withExtendedLifetime(keeper) {}
    let kept = try? SongQueue(encoded: other.read("queue")).count
    let damaged = other.names.contains("queue.damaged-1")
    #expect(damaged)
    return (
      host.read { machine in
        var ids: [UInt32] = []
        machine.queue.forEach(in: 0..<machine.queue.count) { ids.append($1.id.rawValue) }
        return ids
      }, kept
    )
  }

  @Test func songsThatCanBeReadAreKept() throws {
    try add(400)
    var bytes = host.read { $0.queue.encoded() }
    bytes.replaceSubrange(5000..<5040, with: repeatElement(0, count: 40))
    let (ids, kept) = try restarted(with: bytes)
    #expect((396...399).contains(ids.count), "\(ids.count)")
    #expect(ids.first == 1 && ids.last == 400)
    #expect(kept == ids.count, "also after a kill")
    #expect(told.lines.count == 1)
    #expect(told.lines.first?.contains("\(400 - ids.count) of 400 songs lost") == true, "\(told.lines)")
  }

  @Test func tornQueueKeepsItsBeginning() throws {
    try add(400)
    let bytes = host.read { $0.queue.encoded() }
    #expect(try restarted(with: Array(bytes.prefix(bytes.count / 2))).ids == Array(1...199))
  }

  @Test func nothingOfNoiseIsTakenForASong() throws {
    // The same at each run, because a song can be found in noise.
    var random = RandomSource(seed: 1)
    let noise = random.bytes(50_000)
    let (ids, kept) = try restarted(with: noise)
    #expect(ids.isEmpty && kept == nil)
    #expect(told.lines.count == 1)
  }
}
