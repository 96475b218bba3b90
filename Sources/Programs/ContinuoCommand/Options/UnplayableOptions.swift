import ArgumentParser
import MusicFiles

/// The treatment of sound files that cannot be played.
struct UnplayableOptions: ParsableArguments {
  @Flag(help: "Name the files in folders that cannot be played, not only their number.")
  var listUnplayable = false

  /// Returns the lines about these files: their number by kind and, with the option, their names.
  func lines(about unplayable: UnplayableFiles) -> [String] {
    guard unplayable.count > 0 else { return [] }
    guard listUnplayable else { return ["\(unplayable) (--list-unplayable names them)"] }
    let rest = unplayable.count - unplayable.files.count
    return ["\(unplayable)"] + unplayable.files.map(\.description) + (rest > 0 ? ["and \(rest) more"] : [])
  }
}
