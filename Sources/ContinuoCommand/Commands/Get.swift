import ArgumentParser
import ControlProtocol
import Downloading
import HostTime

/// `continuo get`.
struct Get: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Downloads URLs into files, and goes on where it was ended before.",
    usage: "continuo get [OPTIONS] [--output PATH] URL ...",
    discussion: """
      Until a file is whole it is called NAME.part, with NAME.part.record beside it. The same command goes on with them, \
      after Ctrl-C, a lost connection, a kill or a power cut. If the file has changed on the server it begins anew: a \
      file is never made of two versions. A file that is there is not replaced.

      The name is the last part of the URL's path.

      EXAMPLES
        continuo get http://example.org/a.mp3
            Downloads to a.mp3.
        continuo get --output Podcasts http://host/1.mp3 http://host/2.mp3
            Downloads both to the folder Podcasts.
        continuo get --output talk.mp3 'https://example.org/download?id=7'
            A URL that has no name for a file.
        continuo get --header @token.txt https://example.org/private.mp3
            With a header field that is in a file.

      EXIT STATUS
        0   all files are there
        1   at least one URL could not be fetched
        64  the command line makes no sense
        73  a file cannot be written, or is there already
        128+n  ended by signal n, as SIGINT (130); what came is kept
      """)

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The file, or a folder for all of them. (default: the working directory)", valueName: "path"),
    completion: .file())
  var output: String?

  @Flag(help: "Replace files that are there, each when the new one is whole.")
  var force = false

  @OptionGroup var requests: RequestOptions

  @ArgumentParser.Argument(
    help: ArgumentHelp("What to download: http:// and https:// URLs.", valueName: "url"))
  var urls: [String]

  mutating func validate() throws {
    if output == "" { throw ValidationError("--output has an empty value.") }
    if output == "-" {
      throw ValidationError("get writes files: what goes to standard output could not go on.")
    }
  }

  func run() throws {
    let targets: [GetTarget]
    do throws(SyntaxError) {
      targets = try GetTarget.all(urls, output: output)
    } catch {
      StandardOutput.complain("\(error)")
      throw ExitStatus.usage.code
    }
    let run = GetRun(try requests.settingsOrExit(), replacesFiles: force, clock: SystemClock.shared)
    CleanUp.add(run.stop)
    // There is no main queue: a signal ends the process by its clean-up.
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
