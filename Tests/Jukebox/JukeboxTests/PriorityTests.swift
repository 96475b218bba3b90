import ControlProtocol
import SystemSupport
import Testing

@testable import Jukebox

/// Songs with priorities, as mpd has them: they come sooner in an order of chance.
@Suite struct PriorityTests {
  private func machine(songs: Int, seed: UInt64 = 3) throws -> JukeboxMachine {
    var generator = SplitMix64(state: seed)
    var machine = JukeboxMachine(using: &generator)
    try machine.add((0..<songs).map { SongQueueTests.song("\($0)") })
    return machine
  }

  /// The priorities of all songs that are to come, in order.
  private func turns(_ machine: borrowing JukeboxMachine) -> [UInt8] {
    let first = machine.currentID.map { machine.orderRank(of: $0) + 1 } ?? 0
    return (first..<machine.queue.count).map { machine.queue.priority(of: machine.orderSlot($0)) }
  }

  @Test("They follow the current song, those with more first, until all were heard", arguments: 0..<50)
  func order(_ seed: UInt64) throws {
    var random = SplitMix64(state: seed &+ 77)
    var machine = try machine(songs: 30, seed: seed)
    machine.setRandom(true)
    machine.play()
    for _ in 0..<40 {
      switch Int.random(in: 0..<6, using: &random) {
      case 0...2:
        try machine.setPriority(
          UInt8(Int.random(in: 0..<4, using: &random)),
          of: Int.random(in: 0..<machine.queue.count, using: &random)..<machine.queue.count)
      case 3:
        let id = SongID(rawValue: UInt32(1 + Int.random(in: 0..<30, using: &random)))
        if machine.queue[id] != nil {
          try machine.setPriority(UInt8(Int.random(in: 0..<200, using: &random)), of: id)
        }
      case 4: try machine.add([SongQueueTests.song("new")])
      default: try machine.next()
      }
      if machine.state == .stopped { machine.play() }
      let turns = turns(machine)
      #expect(turns == turns.sorted(by: >), "\(turns)")
      #expect((machine.shuffled?.count ?? 0) == machine.queue.count)
      let slots = (0..<machine.queue.count).map { machine.orderSlot($0) }
      #expect(Set(slots).count == slots.count)
    }
  }

  @Test("A song that was heard comes again only with more than the current one has and it had") func heard()
    throws
  {
    var machine = try machine(songs: 5)
    machine.setRandom(true)
    machine.play()
    let heard = try #require(machine.currentID)
    try machine.next()
    let current = try #require(machine.currentID)
    try machine.setPriority(10, of: current)
    try machine.setPriority(9, of: heard)
    #expect(machine.nextID != heard)
    try machine.setPriority(11, of: heard)
    #expect(machine.nextID == heard)
    // Heard with more than the next one has: it has had its turn, whatever more it gets.
    try machine.next()
    #expect(machine.currentID == heard)
    try machine.next()
    try machine.setPriority(12, of: heard)
    #expect(machine.nextID != heard)
  }

  @Test("Without an order of chance they are kept and change nothing") func plain() throws {
    var machine = try machine(songs: 3)
    let version = machine.queue.version
    try machine.setPriority(5, of: 2..<3)
    try machine.setPriority(5, of: 2..<3)
    #expect(machine.queue.version == version + 1)
    machine.play()
    #expect(machine.nextID == SongID(rawValue: 2))
    #expect(machine.queue[SongID(rawValue: 3)]?.priority == 5)
    #expect(throws: JukeboxError.badSongIndex) { try machine.setPriority(1, of: 4..<5) }
    #expect(throws: JukeboxError.noSuchSong) { try machine.setPriority(1, of: SongID(rawValue: 9)) }
    // They go with their songs.
    try machine.delete(2..<3)
    #expect(!machine.queue.hasPriorities)
  }

  @Test("They survive a restart") func saved() throws {
    var machine = try machine(songs: 3)
    try machine.setPriority(255, of: 1..<2)
    try machine.setRange(SongRange(start: Milliseconds(rawValue: 5), end: nil), of: SongID(rawValue: 2))
    let queue = try SongQueue(encoded: machine.queue.encoded())
    #expect(queue[SongID(rawValue: 2)]?.priority == 255)
    #expect(queue[SongID(rawValue: 2)]?.range?.start == Milliseconds(rawValue: 5))
    #expect(queue[SongID(rawValue: 1)]?.priority == 0)
  }
}
