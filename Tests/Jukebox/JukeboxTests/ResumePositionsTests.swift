import ControlProtocol
import SystemSupport
import Testing

@testable import Jukebox

/// Long songs that resume where they were left.
@Suite(.timeLimit(.minutes(10))) struct ResumePositionsTests {
  /// Songs `/0`, `/1` … of an hour, of which those above 20 minutes resume.
  private func rig(songs: Int = 3, threshold: Double? = 1200) -> Rig {
    var rig = Rig()
    rig.machine.positions.threshold = threshold
    let metadata = SongMetadata(duration: 3600)
    _ = try? rig.machine.add((0..<songs).map { Song(path: Array("/\($0)".utf8), metadata: metadata) })
    rig.machine.play()
    rig.settle()
    return rig
  }

  /// Leaves the current song by a command, as the jukebox's owner does.
  private func leave(_ rig: inout Rig, at seconds: Double, by command: (inout JukeboxMachine) throws -> Void)
    throws
  {
    let song = try #require(rig.machine.currentSong)
    try command(&rig.machine)
    rig.machine.notePosition(in: song.song, at: (seconds, nil))
    rig.settle()
  }

  private func positions(_ rig: Rig) -> [String] {
    rig.machine.positions.all.map { "\(String(decoding: $0.locator.bytes, as: UTF8.self)) \($0.seconds)" }
  }

  @Test func aSongThatWasLeftResumes() throws {
    var rig = rig()
    try leave(&rig, at: 1000) { try $0.next() }
    #expect(rig.seconds == 0 && positions(rig) == ["/0 1000.0"])
    try leave(&rig, at: 500) { try $0.previous() }
    #expect(rig.seconds == 1000 && rig.current?.song.locator.bytes == Array("/0".utf8))
    #expect(positions(rig) == ["/1 500.0", "/0 1000.0"])
    // It begins from the beginning for who asks for it while it plays.
    try rig.machine.play(position: 0)
    rig.settle()
    #expect(rig.seconds == 0)
    try leave(&rig, at: 20) { $0.stop() }
    rig.machine.play()
    rig.settle()
    #expect(rig.seconds == 20)
  }

  @Test func itResumesAlsoWhereItFollowsByItself() throws {
    var rig = rig()
    try leave(&rig, at: 10.5) { try $0.next() }
    try leave(&rig, at: 1000) { try $0.previous() }
    #expect(rig.upcoming.map(\.start) == [1000, 0])
    rig.end()
    rig.settle()
    // What was heard to its end begins anew.
    #expect(rig.seconds == 1000 && positions(rig) == ["/1 1000.0"] && rig.difference == nil)
  }

  @Test(arguments: [(9, nil), (3591, nil), (.nan, 100), (.infinity, 100), (10, 10)] as [(Double, Double?)])
  func beginningAndEndAreNoPositions(_ seconds: Double, _ kept: Double?) throws {
    var rig = rig()
    rig.machine.notePosition(in: try #require(rig.machine.currentSong).song, at: (100, nil))
    try leave(&rig, at: seconds) { try $0.next() }
    #expect(rig.machine.positions.all.first?.seconds == kept)
  }

  @Test func shortSongsPartsOfSongsAndUnknownLengthsAreLeftAlone() {
    var positions = ResumePositions()
    positions.threshold = 1200
    let path = Array("/a".utf8)
    positions.note(Song(path: path), leftAt: 100, duration: 1200)
    positions.note(Song(path: path), leftAt: 100, duration: nil)
    positions.note(Song(path: path, range: SongRange(start: 5)), leftAt: 100, duration: 3600)
    #expect(positions.all.isEmpty && positions.edition == 0)
    positions.note(Song(path: path), leftAt: 100, duration: 1201)
    #expect(positions.start(of: Song(path: path)) == 100)
    #expect(positions.start(of: Song(path: path, range: SongRange(start: 5))) == 0)
    positions.threshold = nil
    #expect(positions.start(of: Song(path: path)) == 0)
  }

  @Test func theOldestMakesRoom() {
    var positions = ResumePositions()
    positions.threshold = 1200
    for number in 0...ResumePositions.limit {
      positions.note(Song(path: Array("/\(number)".utf8)), leftAt: 100, duration: 3600)
    }
    #expect(positions.all.count == ResumePositions.limit)
    #expect(positions.start(of: Song(path: Array("/0".utf8))) == 0)
    #expect(positions.start(of: Song(path: Array("/1".utf8))) == 100)
  }

  @Test func theyComeBackAsTheyWere() throws {
    var positions = ResumePositions()
    positions.threshold = 1200
    let locators = [SongLocator(path: [0x2F, 0xFF]), try SavedStateTests.url("https://host/a%20b.mp3?q=1")]
    for (index, locator) in locators.enumerated() {
      positions.note(Song(locator), leftAt: 100.25 + Double(index), duration: 3600)
    }
    let bytes = positions.encoded()
    #expect(bytes.starts(with: "continuo positions 1\n".utf8) && bytes.count < ResumePositions.maximumSize)
    let back = try ResumePositions(encoded: bytes)
    #expect(back.all.map(\.locator) == positions.all.map(\.locator))
    #expect(back.all.map(\.seconds) == [101.25, 100.25])
    for count in 0..<bytes.count {
      #expect(throws: SavedStateError.self) { try ResumePositions(encoded: Array(bytes.prefix(count))) }
    }
    var random = SystemRandomNumberGenerator()
    for _ in 0..<1000 {
      var damaged = bytes
      damaged[Int.random(in: damaged.indices, using: &random)] ^= 1 << UInt8.random(in: 0...7, using: &random)
      #expect(throws: SavedStateError.self) { try ResumePositions(encoded: damaged) }
    }
  }
}
