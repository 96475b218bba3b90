import ControlProtocol
import SystemSupport
import Testing

@testable import Jukebox

/// Long random lives of the machine with a player that is late, and what chance may do.
@Suite(.timeLimit(.minutes(10)))
struct JukeboxLifeTests {
  /// Every command, with arguments from good to absurd.
  static func randomCommand(_ random: inout SplitMix64, count: Int) -> String {
    func position() -> Int { Int.random(in: -1...count + 1, using: &random) }
    func range() -> String {
      let start = Int.random(in: 0...count + 1, using: &random)
      return "\(start):\(start + Int.random(in: 0...4, using: &random))"
    }
    let id = Int.random(in: 0...count * 2 + 1, using: &random)
    let setting = ["0", "1", "oneshot"].randomElement(using: &random) ?? "0"
    let place = ["", "+", "-"].randomElement(using: &random) ?? ""
    let commands = [
      "play", "play \(position())", "playid \(id)", "pause", "pause 0", "pause 1", "stop", "next", "previous",
      "seekcur \(position())", "seek \(position()) 1", "seekid \(id) 99", "add \(place)\(abs(position()))",
      "add \(position())", "add \(count)", "delete \(range())", "deleteid \(id)",
      "move \(range()) \(position())",
      "move \(range()) \(place)\(abs(position()))", "moveid \(id) \(position())",
      "swap \(position()) \(position())",
      "swapid \(id) \(id + 1)", "shuffle", "shuffle \(range())", "rangeid \(id) 500", "repeat \(setting)",
      "random \(setting)", "single \(setting)", "consume \(setting)", "setvol \(position())", "clearerror",
      "add \(count)", "add \(count)", "end", "end", "end", "end", "end", "fail", "skip", "heard",
    ]
    return commands.randomElement(using: &random) ?? "play"
  }

  /// The commands, the player's work and the reports come in any order.
  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func machineAndPlayerAgreeWheneverBothAreAtRest(seed: UInt64) {
    var random = SplitMix64(state: seed)
    var rig = Rig(seed: seed, songs: 5)
    var history: [String] = []
    for step in 1...1500 {
      switch Int.random(in: 0..<5, using: &random) {
      case 0, 1:
        let isClear = Int.random(in: 0..<200, using: &random) == 0
        let command = isClear ? "clear" : Self.randomCommand(&random, count: rig.machine.queue.count)
        history.append(command)
        // Errors are answers too; that nothing has changed then is a test of its own.
        try? JukeboxMachineTests.run(command, on: &rig)
        if Bool.random(using: &random) { rig.collect() }
      case 2: rig.obey()
      case 3: rig.hear()
      default:
        guard Int.random(in: 0..<4, using: &random) == 0 else { continue }
        rig.settle()
        if let difference = rig.difference {
          Issue.record("seed \(seed), step \(step): \(difference) after \(history.suffix(8))")
          return
        }
      }
      if let broken = Self.brokenRule(rig.machine) {
        Issue.record("seed \(seed), step \(step): \(broken) after \(history.suffix(8))")
        return
      }
    }
  }

  /// What always holds.
  static func brokenRule(_ machine: JukeboxMachine) -> String? {
    if let current = machine.currentID, machine.queue[current] == nil { return "current song not in queue" }
    if machine.state != .stopped, machine.currentID == nil { return "plays nothing" }
    if machine.isRandom != (machine.shuffled != nil) { return "order kept or missing" }
    if let shuffled = machine.shuffled {
      var slots: [SlotSequence.Slot] = []
      var inQueue: [SlotSequence.Slot] = []
      shuffled.forEach(in: 0..<shuffled.count) { slots.append($0) }
      machine.queue.order.forEach(in: 0..<machine.queue.count) { inQueue.append($0) }
      if slots.sorted() != inQueue.sorted() { return "the order of chance is not one of the queue" }
    }
    guard machine.state != .stopped else { return machine.upcoming().isEmpty ? nil : "follows when stopped" }
    if machine.single != .off, !machine.isRepeating {
      return machine.upcoming().isEmpty ? nil : "single is followed"
    }
    return machine.upcoming().first?.id == machine.nextID ? nil : "two opinions on what follows"
  }

  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func errorsChangeNothing(seed: UInt64) {
    var random = SplitMix64(state: seed)
    var rig = Rig(seed: seed, songs: 6)
    for _ in 1...1000 {
      rig.settle()
      var copy = rig
      let before = copy.summary()
      let command = Self.randomCommand(&random, count: rig.machine.queue.count)
      let version = rig.machine.queue.version
      do {
        try JukeboxMachineTests.run(command, on: &rig)
      } catch {
        rig.settle()
        #expect(rig.summary() == before && rig.machine.queue.version == version, "seed \(seed): \(command)")
        #expect(rig.orders.isEmpty, "seed \(seed): \(command)")
      }
    }
  }

  // MARK: Chance

  @Test(arguments: [1, 2, 3, 10, 50])
  func aRandomRoundHasEverySongOnce(count: Int) throws {
    for seed in 1...10 as ClosedRange<UInt64> {
      var rig = Rig(seed: seed, songs: count)
      rig.machine.setRandom(true)
      rig.machine.play()
      rig.settle()
      for _ in 0..<count {
        rig.end()
        rig.settle()
      }
      #expect(rig.begun.sorted() == Array(1...UInt32(count)), "seed \(seed)")
      #expect(rig.machine.state == .stopped && rig.machine.currentID == nil, "seed \(seed)")
    }
  }

  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func repeatedRoundsAreDrawnAnewWithoutAGapOrASongTwice(seed: UInt64) {
    var rig = Rig(seed: seed, songs: 10)
    rig.machine.setRandom(true)
    rig.machine.setRepeat(true)
    rig.machine.play()
    rig.settle()
    for _ in 0..<100 {
      #expect(!rig.upcoming.isEmpty, "seed \(seed)")
      rig.end()
      rig.settle()
    }
    #expect(rig.begun.count == 101)
    #expect(zip(rig.begun, rig.begun.dropFirst()).allSatisfy { $0 != $1 }, "seed \(seed)")
    // From one last song to the next all others are heard once.
    let rounds = stride(from: 0, to: 90, by: 9).map { Array(rig.begun[$0...$0 + 9]) }
    #expect(rounds.allSatisfy { Set($0).count == 10 }, "seed \(seed)")
    #expect(Set(rounds).count > 1, "seed \(seed)")
  }

  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func whatIsAddedOrAskedForKeepsTheTurnsOfOthers(seed: UInt64) throws {
    var rig = Rig(seed: seed, songs: 8)
    rig.machine.setRandom(true)
    rig.machine.play()
    rig.settle()
    for _ in 0..<3 {
      rig.end()
      rig.settle()
    }
    let asked = try #require(rig.machine.queue[position: 7]?.id)
    let isRepeated = rig.begun.contains(asked.rawValue)
    let added = try rig.machine.add([SongQueueTests.song("a"), SongQueueTests.song("b")])
    try rig.machine.play(id: asked)
    rig.settle()
    for _ in 0..<20 {
      rig.end()
      rig.settle()
    }
    #expect(Set(rig.begun) == Set(1...10), "seed \(seed)")
    #expect(rig.begun.count == (isRepeated ? 11 : 10), "seed \(seed)")
    #expect(added.allSatisfy { rig.begun.contains($0.rawValue) }, "seed \(seed)")
  }

  @Test func manySongsAtOnceAreHeardInThisRoundToo() throws {
    var rig = Rig(songs: 10)
    rig.machine.setRandom(true)
    rig.machine.play()
    rig.settle()
    for _ in 0..<4 {
      rig.end()
      rig.settle()
    }
    try rig.machine.add(Array(repeating: SongQueueTests.song("new"), count: 3000))
    #expect(Self.brokenRule(rig.machine) == nil)
    rig.settle()
    #expect(rig.begun.count == 5)
    while rig.machine.state == .playing {
      rig.end()
      rig.settle()
    }
    #expect(rig.begun.sorted() == Array(1...3010))
  }

  @Test func theCurrentSongGoesOnWhenChanceComesAndGoes() throws {
    var rig = Rig(songs: 5)
    try rig.machine.play(position: 2)
    rig.settle()
    rig.machine.setRandom(true)
    rig.settle()
    rig.machine.setRandom(false)
    rig.settle()
    #expect(rig.begun == [3])
    #expect(rig.upcoming.map(\.id.rawValue) == [4, 5])
  }

  // MARK: A late player

  @Test func aReportFromBeforeTheLastOrderIsNotBelieved() throws {
    var rig = Rig(songs: 3)
    rig.machine.play()
    rig.settle()
    rig.end()
    try rig.machine.seekCurrent(0.5)
    rig.settle()
    #expect(rig.machine.currentPosition == 0)
    #expect(rig.current?.id.rawValue == 1 && rig.seconds == 0.5)
    #expect(rig.upcoming.map(\.id.rawValue) == [2, 3])
  }

  @Test func aSongThatLeftTheQueueAsItBeganIsNotKept() throws {
    var rig = Rig(songs: 3)
    rig.machine.play()
    rig.settle()
    rig.end()
    try rig.machine.delete(1..<2)
    rig.settle()
    #expect(rig.machine.currentID?.rawValue == 3 && rig.current?.id.rawValue == 3)
  }

  @Test func singleThatComesAsTheNextSongBeginsPausesIt() {
    var rig = Rig(songs: 3)
    rig.machine.play()
    rig.settle()
    rig.end()
    rig.machine.setSingle(.on)
    rig.settle()
    #expect(rig.machine.state == .paused && rig.machine.currentPosition == 1)
    #expect(rig.isPaused && rig.seconds == 0 && rig.current?.id.rawValue == 2)
  }

  @Test func ordersThatAreOvertakenAreNotGiven() throws {
    var rig = Rig(songs: 5)
    rig.machine.play()
    try rig.machine.next()
    rig.machine.pause()
    try rig.machine.next()
    rig.machine.setVolume(10)
    rig.collect()
    #expect(rig.orders.count == 3)
    rig.settle()
    #expect(rig.begun == [3] && !rig.isPaused && rig.volume == 10)
  }

  @Test func aFailureKeepsItsReasonUntilASongIsAskedFor() throws {
    var rig = Rig(songs: 3)
    rig.machine.play()
    rig.settle()
    rig.fail()
    rig.settle()
    #expect(rig.machine.error == "song 1: no")
    rig.machine.pause(true)
    rig.machine.pause(false)
    try rig.machine.next()
    #expect(rig.machine.error != nil)
    rig.machine.play()
    #expect(rig.machine.error == nil)
  }

  @Test func failuresWithMusicBetweenThemDoNotAddUp() {
    var rig = Rig(songs: 2)
    rig.machine.setRepeat(true)
    rig.machine.play()
    for _ in 0..<10 {
      rig.settle()
      rig.fail()
      rig.settle()
      #expect(rig.machine.state == .playing)
      if let current = rig.current { rig.reports.append((.heard(current.id), rig.ticket)) }
    }
  }

  @Test func whatThePlayerSkipsByItselfIsNotStartedAnew() throws {
    var rig = Rig(songs: 5)
    rig.machine.play()
    rig.settle()
    // Two in a row, and the machine hears of them late.
    rig.failAndGoOn()
    rig.failAndGoOn()
    rig.settle()
    #expect(rig.begun == [1, 2, 3])
    #expect(rig.machine.currentID?.rawValue == 3 && rig.machine.state == .playing)
    #expect(rig.upcoming.map(\.id.rawValue) == [4, 5])
    #expect(rig.machine.error == "song 2: no")
    // It was taken out meanwhile: the machine's word counts.
    rig.failAndGoOn()
    try rig.machine.delete(3..<4)
    rig.settle()
    #expect(rig.current?.id.rawValue == 5 && rig.machine.currentID?.rawValue == 5)
  }

  @Test func playingEndsWhenAllFailWhoeverGoesOn() {
    var rig = Rig(songs: 4)
    rig.machine.setRepeat(true)
    rig.machine.play()
    for count in 1...4 {
      rig.settle()
      #expect(rig.machine.state == .playing && rig.ends == 0)
      if count.isMultiple(of: 2) { rig.fail() } else { rig.failAndGoOn() }
      rig.settle()
    }
    #expect(rig.machine.state == .stopped && rig.ends == 1)
  }

  @Test func endsAreTold() throws {
    var rig = Rig(songs: 2)
    // Nobody's end: asked for.
    rig.machine.play()
    rig.settle()
    rig.machine.stop()
    rig.settle()
    rig.machine.play()
    try rig.machine.delete(0..<2)
    rig.settle()
    try rig.machine.add([SongQueueTests.song("a"), SongQueueTests.song("b")])
    rig.machine.play()
    rig.machine.clear()
    rig.settle()
    #expect(rig.ends == 0)
    // Heard to the end, skipped to the end, sought behind the end, with and without a queue that is left.
    for (consume, count) in [(OneshotMode.off, 1), (.on, 2)] {
      rig.machine.setConsume(consume)
      try rig.machine.add([SongQueueTests.song("a"), SongQueueTests.song("b")])
      try rig.machine.play(position: rig.machine.queue.count - 1)
      rig.settle()
      rig.end()
      rig.settle()
      #expect(rig.machine.state == .stopped && rig.ends == count)
    }
    rig.machine.setConsume(.off)
    try rig.machine.add([SongQueueTests.song("a")])
    try rig.machine.play(position: rig.machine.queue.count - 1)
    rig.settle()
    try rig.machine.next()
    rig.settle()
    #expect(rig.machine.state == .stopped && rig.ends == 3)
  }

  @Test func aNewerOrderMakesOlderOnesPointless() throws {
    var rig = Rig(songs: 3)
    rig.machine.play()
    rig.collect()
    let start = try #require(rig.orders.first)
    let upcoming = JukeboxAction.setUpcoming([])
    let seek = JukeboxAction.seek(try #require(rig.machine.currentSong), to: 1, ticket: rig.machine.ticket)
    for order in [start, .stop(ticket: rig.machine.ticket)] {
      for older in [start, seek, upcoming, .pause, .resume, .stop(ticket: rig.machine.ticket)] {
        #expect(order.supersedes(older))
      }
      #expect(!order.supersedes(.setVolume(3)) && !order.supersedes(.setMuted(true)))
    }
    #expect(upcoming.supersedes(upcoming) && !upcoming.supersedes(start) && !upcoming.supersedes(seek))
    #expect(!seek.supersedes(start) && !JukeboxAction.pause.supersedes(start))
  }

  /// As in mpd: an album's level while its songs come one after the other.
  @Test func autoIsAlbumUnlessTheOrderIsOfChance() {
    var rig = Rig(songs: 3)
    for (change, mode, isNews) in [
      ({ $0.setReplayGain(.auto) }, .album, true), ({ $0.setRandom(true) }, .track, true),
      ({ $0.setReplayGain(.auto) }, .track, false), ({ $0.setReplayGain(.track) }, .track, true),
      ({ $0.setRandom(false) }, .track, true), ({ $0.setReplayGain(.album) }, .album, true),
      ({ $0.setReplayGain(.off) }, .off, true), ({ $0.setRandom(true) }, .off, true),
    ] as [((inout JukeboxMachine) -> Void, ReplayGainMode, Bool)] {
      rig.changed = []
      change(&rig.machine)
      rig.settle()
      #expect(rig.replayGain == mode && rig.changed == (isNews ? .options : []))
    }
  }

  @Test func aNewPlayerIsToldEverything() throws {
    var rig = Rig(songs: 3)
    try rig.machine.play(position: 1)
    rig.machine.pause()
    rig.machine.setVolume(20)
    rig.machine.setReplayGain(.auto)
    rig.settle()
    rig.replayGain = .off
    rig.current = nil
    rig.upcoming = []
    rig.volume = 100
    rig.machine.relaunch(at: 12.5)
    rig.settle()
    #expect(rig.difference == nil)
    #expect(rig.current?.id.rawValue == 2 && rig.seconds == 12.5 && rig.isPaused)
    #expect(rig.replayGain == .album)
  }

  // MARK: Bad files and wrong lengths

  /// The player has copies of a repeated song, and they fail with it.
  @Test func copiesOfARepeatedSongAreOneSongThatFails() {
    var rig = Rig(songs: 3)
    rig.machine.setRepeat(true)
    rig.machine.setSingle(.on)
    rig.machine.play()
    rig.settle()
    rig.end()
    for _ in 0..<3 { rig.failAndGoOn() }
    rig.fail()
    rig.settle()
    #expect(rig.machine.state == .playing && rig.machine.currentID?.rawValue == 2)
    #expect(rig.current?.id.rawValue == 2 && rig.difference == nil)
  }

  /// Files joined to one announce the length of the first.
  @Test func aLengthThatPlaybackHasPassedIsNoEnd() throws {
    var rig = Rig()
    let metadata = SongMetadata(duration: 1)
    try rig.machine.add(["a", "b"].map { Song(path: Array($0.utf8), metadata: metadata) })
    rig.machine.play()
    func seek(to seconds: Double, from position: Double, of duration: Double?) throws {
      try rig.machine.seekCurrent(seconds, progress: (position, duration))
      rig.settle()
      #expect(rig.machine.currentPosition == 0 && rig.seconds == seconds)
    }
    try seek(to: 2, from: 3, of: 1)
    try seek(to: 4, from: 2, of: nil)
    // The player knows better than the tags.
    try seek(to: 5, from: 0.5, of: 6)
    rig.machine.pause(true)
    try seek(to: 5.5, from: 5, of: 6)
    try seek(to: 6.5, from: 7, of: 6)
    rig.machine.pause(false)
    try rig.machine.seekCurrent(6, progress: (5, 6))
    #expect(rig.machine.currentPosition == 1)
  }
}
