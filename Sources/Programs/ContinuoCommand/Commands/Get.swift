import ArgumentParser
import Clocks
import ControlProtocol
import Downloading

struct Get: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Downloads URLs to files, and resumes interrupted downloads.",
    usage: "continuo get [OPTIONS] [--output PATH] URL ...",
    discussion: """
      An incomplete file is called NAME.part, with NAME.part.record beside it. The same command resumes the download \
      after Ctrl-C, a lost connection, a kill or a power failure. If the file has changed on the server, the download \
      starts again: a file never consists of two versions. An existing file is not replaced.

      The name is the last part of the URL's path.

      EXAMPLES
        continuo get http://example.org/a.mp3
            Downloads to a.mp3.
        continuo get --output Podcasts http://host/1.mp3 http://host/2.mp3
            Downloads both to the folder Podcasts.
        continuo get --output talk.mp3 'https://example.org/download?id=7'
            A URL without a file name.
        continuo get --header @token.txt https://example.org/private.mp3
            With a header field from a file.

      EXIT STATUS
        0   all files are complete
        1   at least one URL could not be fetched
        64  the command line is invalid
        73  a file cannot be written, or exists already
        128+n  ended by signal n, such as SIGINT (130); received bytes are kept
      """)

  @Option(
    name: .shortAndLong,
    help: .init("The file, or a folder for all of them. (default: the working directory)", valueName: "path"),
    completion: .file())
  var output: String?

  @Flag(help: "Overwrite existing files, each once its download is complete.") var force = false

  @OptionGroup var requests: RequestOptions

  @ArgumentParser.Argument(help: ArgumentHelp("The http:// and https:// URLs to download.", valueName: "url"))
  var urls: [String]

  mutating func validate() throws {
    try ValidationError.rejectEmpty(["--output": output])
    if output == "-" {
      throw ValidationError("get writes files: a download to standard output could not be resumed.")
    }
  }

  func run() throws {
    let targets = try ExitStatus.usage.orExit { try GetTarget.all(urls, output: output) }
    let settings = try ExitStatus.usage.orExit(nil, requests.settings)
    let run = GetRun(settings, replacesFiles: force, clock: SystemClock.shared)
    CleanUp.add { run.stop() }
    // Without a main queue, a signal ends the process by its clean-up.
    let signals = Signals(end: { _ in })
    var status = ExitStatus.played
    for target in targets {
      switch run.fetch(target) {
      case nil: break
      case .file: status = .cannotWrite
      case .transfer: if status == .played { status = .partlyPlayed }
      }
    }
    withExtendedLifetime(signals) { CleanUp.exit(status.rawValue) }
  }
}
