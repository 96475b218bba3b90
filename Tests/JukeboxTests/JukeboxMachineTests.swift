import Jukebox
import Testing

/// The machine from outside.
struct JukeboxMachineTests {
  @Test func playOnAnEmptyQueueIsFine() {
    var generator = SystemRandomNumberGenerator()
    var machine = JukeboxMachine(using: &generator)
    machine.play()
    #expect(machine.state == .stopped)
    #expect(machine.takeEffects().actions.isEmpty)
  }
}
