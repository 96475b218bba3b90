import ControlProtocol
import Testing

@Suite struct IdleStateTests {
  @Test("Events add up while nobody waits, and answer the next idle at once")
  func addUp() {
    var idle = IdleState()
    #expect(idle.raise(.player) == nil)
    #expect(idle.raise([.player, .mixer]) == nil)
    #expect(idle.wait(for: .standard) == [.player, .mixer])
    #expect(idle.awaited == nil && idle.pending.isEmpty)
    #expect(idle.wait(for: .standard) == nil)
  }

  @Test("An answer forgets what was not asked for, as MPD 0.23 does")
  func forgets() {
    var idle = IdleState()
    #expect(idle.raise([.player, .mixer]) == nil)
    #expect(idle.wait(for: .mixer) == .mixer)
    #expect(idle.wait(for: .player) == nil)
  }

  @Test("noidle answers only a client that waits")
  func cancel() {
    var idle = IdleState()
    #expect(idle.cancel() == nil)
    _ = idle.wait(for: .player)
    #expect(idle.raise(.mixer) == nil)
    #expect(idle.cancel() == [])
    #expect(idle.pending.isEmpty)
  }

  @Test("The application's own name goes only to who has named it")
  func application() {
    var idle = IdleState()
    #expect(idle.wait(for: .standard) == nil)
    #expect(idle.raise(.application) == nil)
    #expect(idle.raise([.application, .options]) == .options)
    #expect(idle.wait(for: [.application, .player]) == nil)
    #expect(idle.raise(.application) == .application)
    #expect(Subsystems.standard.names.count == 14)
  }

  @Test("Names are known in any case, and all of them")
  func names() {
    for name in Subsystems.standard.union(.application).names {
      #expect(Subsystems(name: Argument(name.uppercased()))?.names == [name])
    }
    #expect(Subsystems(name: "time") == nil)
    #expect(Subsystems(name: "") == nil)
  }
}
