/// The servers of one measurement, which run at the same time.
final class ControlServers {
  private(set) var all: [ControlServer] = []

  /// Starts all servers, or none if one fails.
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
  /// Whether the server supports Continuo's own commands.
  var isContinuo: Bool { name == "continuo" }
}
