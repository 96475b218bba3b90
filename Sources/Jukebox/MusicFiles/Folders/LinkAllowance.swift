/// A limit for reading folders that symbolic links lead to. Each song raises the limit, so that a collection
/// on another disk is read completely, and `/` is not.
package struct LinkAllowance: Sendable {
  /// The number of names that each song adds: a folder rarely has more other files for each song.
  private static let namesOfSong = 100
  /// The number of seconds that each song adds: reading a song from a slow disk takes less.
  private static let secondsOfSong = 1.0

  private var names: Int
  private var seconds: Double
  package private(set) var refusal: String?

  /// Creates an allowance of `names` names and `seconds` seconds before the first song. Reading up to the
  /// defaults takes about a second on a local disk, and a minute on a bad network.
  package init(names: Int = 100_000, seconds: Double = 60) {
    self.names = names
    self.seconds = seconds
  }

  /// Counts a name that was read, `elapsed` seconds after the link was entered. Returns `refusal`.
  package mutating func takeName(_ elapsed: Double = 0) -> String? {
    guard refusal == nil else { return refusal }
    names -= 1
    if names < 0 || elapsed > seconds {
      let reason = names < 0 ? "too many files that are not songs" : "files that are too slow to read"
      refusal = "links lead to \(reason); link only to music folders"
    }
    return refusal
  }

  package mutating func take(seconds: Double) { self.seconds -= seconds }

  package mutating func add(songs: Int) {
    names += songs * Self.namesOfSong
    seconds += Double(songs) * Self.secondsOfSong
  }
}
