import Foundation

/// The measurements of the control socket.
struct ControlBench {
  let bench: Bench
  let plan: ControlPlan
  let programs: [ServerProgram]

  /// Runs the chosen measurements and passes each table to `report`.
  func run(_ chosen: [Measurement], report: (Measurement, () throws -> Table) -> Void) {
    let queues = QueueServers(bench: bench, plan: plan, programs: programs)
    defer { queues.stop() }
    for measurement in chosen {
      switch measurement {
      case .roundtrip:
        for placement in Placement.possible {
          report(
            measurement, RoundTrip(bench: bench, plan: plan, programs: programs, placement: placement).run)
        }
      case .crowd: report(measurement, Crowd(bench: bench, plan: plan, programs: programs).run)
      case .watch: report(measurement, Watchers(bench: bench, plan: plan, programs: programs).run)
      case .add:
        report(measurement, AddSongs(bench: bench, plan: plan, programs: programs).run)
        report(measurement, QueueEdits(bench: bench, plan: plan, queues: queues).run)
      case .memory: report(measurement, ControlMemory(bench: bench, plan: plan, queues: queues).run)
      case .instructions, .render, .cpu, .start, .jitter, .network: break
      }
    }
  }
}
