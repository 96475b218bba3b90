/// The servers of one measurement, side by side.
final class ControlServers {
  private(set) var all: [ControlServer] = []

  /// Starts all of them, or none.
  init(_ programs: [ServerProgram], bench: Bench) throws {
    do {
      for program in programs { all.append(try ControlServer(program, bench: bench)) }
    } catch {
      stop()
      throw error
    }
  }

  func stop() {
    for server in all { server.stop() }
    all = []
  }
}

extension ControlServer {
  /// Whether it has the extension commands.
  var isContinuo: Bool { name == "continuo" }
}
