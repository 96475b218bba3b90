import ArgumentParser
import MusicFiles

extension UnplayableFiles {
  /// The help of the flag `--list-unplayable`, which several commands declare. The flag has no option group of its
  /// own, because each group adds 2 million instructions to a start.
  static let help: ArgumentHelp = "Name the files in folders that cannot be played, not only their number."

  /// Returns the lines about these files: their number by kind and, if `areListed`, the names of at most
  /// `fileLimit` of them. Empty if there are no files.
  func lines(areListed: Bool) -> [String] {
    guard count > 0 else { return [] }
    guard areListed else { return ["\(self) (--list-unplayable names them)"] }
    let rest = count - files.count
    return ["\(self)"] + files.map(\.description) + (rest > 0 ? ["and \(rest) more"] : [])
  }
}
