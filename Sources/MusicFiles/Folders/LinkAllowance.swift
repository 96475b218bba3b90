/// Limits reading of folders that symbolic links lead to. Each song raises the limit, so that a collection on another disk is read
/// to its end, and `/` is not.
package struct LinkAllowance: Sendable {
  /// Names that each song adds: a song is seldom beside more files that are none.
  private static let namesOfSong = 100
  /// Seconds that each song adds: reading one from a slow disk takes less.
  private static let secondsOfSong = 1.0

  private var names: Int
  private var seconds: Double
  /// The reason to stop reading; nil below the limit.
  package private(set) var refusal: String?

  /// An allowance of so many names and seconds before the first song is found. The standard is a second's work on a disk of
  /// one's own, and a minute's on a bad network.
  package init(names: Int = 100_000, seconds: Double = 60) {
    self.names = names
    self.seconds = seconds
  }

  /// Takes a name that was read, `elapsed` seconds after the link was entered. Returns why no more may be read.
  package mutating func takeName(_ elapsed: Double = 0) -> String? {
    guard refusal == nil else { return refusal }
    names -= 1
    if names < 0 || elapsed > seconds {
      let reason = names < 0 ? "too many files that are no songs" : "files that take too long to read"
      refusal = "links lead to \(reason); link to folders of music alone"
    }
    return refusal
  }

  /// Takes the seconds that were spent in a link.
  package mutating func take(seconds: Double) { self.seconds -= seconds }

  /// Adds what songs allow that were found.
  package mutating func add(songs: Int) {
    names += songs * Self.namesOfSong
    seconds += Double(songs) * Self.secondsOfSong
  }
}
