import ControlProtocol
import Jukebox
import Synchronization
import Testing

@testable import JukeboxPlayback

/// The jukebox as threads that answer clients use it.
@Suite(.timeLimit(.minutes(5))) struct JukeboxHostTests {
  private func host() -> JukeboxHost {
    var generator = SystemRandomNumberGenerator()
    return JukeboxHost(JukeboxMachine(using: &generator))
  }

  /// As a bare function in a `Mutex` the subscriber was wrapped once more by every change: 100,000 of them took minutes
  /// and went as deep.
  @Test func everyChangeIsToldAndTheLastCostsNoMoreThanTheFirst() throws {
    let host = host()
    let told = Mutex(0)
    host.onChange { changed in
      #expect(changed == .options)
      told.withLock { $0 += 1 }
    }
    for number in 0..<100_000 { try host.change { $0.setRepeat(number.isMultiple(of: 2)) } }
    #expect(told.withLock { $0 } == 100_000)
  }

  @Test func refusedChangeTellsNobody() throws {
    let host = host()
    host.onChange { _ in Issue.record("nothing has changed") }
    #expect(throws: JukeboxError.badSongIndex) {
      try host.change { machine throws(JukeboxError) in try machine.play(position: 0) }
    }
    #expect(host.seconds == 0)
  }

  /// Before any player is there, who asks is told where the song will go on.
  @Test func placeOfARestoredSongIsKnownFromTheStart() throws {
    var generator = SystemRandomNumberGenerator()
    var machine = JukeboxMachine(using: &generator)
    try machine.add([Song(path: Array("/a.mp3".utf8)), Song(path: Array("/b.mp3".utf8))])
    try machine.play(position: 1)
    let saved = machine.savedPlayback(at: 12.5)
    let restored = JukeboxHost(JukeboxMachine(queue: machine.queue, playback: saved, using: &generator))
    #expect(restored.seconds == 12.5)
    let seconds = restored.seconds
    #expect(restored.read { $0.savedPlayback(at: seconds) } == saved)
  }
}
