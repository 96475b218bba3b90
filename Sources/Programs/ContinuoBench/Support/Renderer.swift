import Foundation

/// A command that decodes files into a WAV file as fast as it can.
struct Renderer {
  /// Builds the command without its file arguments, from the path of the WAV file.
  let command: (_ output: String) -> [String]

  static func continuo(_ path: String) -> Renderer {
    Renderer { [path, "play", "--no-socket", "--output", "wav:\($0)"] }
  }

  static func mpg123(_ path: String) -> Renderer { Renderer { [path, "-q", "-w", $0] } }

  /// Renders the files. Throws after 120 s.
  func render(_ files: [String], to output: String, for bench: Bench) throws -> WAVFile {
    let child = try Child(
      command(output) + files, environment: bench.plainEnvironment, log: bench.scratch + "/render.log")
    let exit = try child.waitOrKill(seconds: 120)
    guard exit.succeeded else { throw child.failure("cannot render", exit) }
    return try WAVFile(reading: output)
  }
}
