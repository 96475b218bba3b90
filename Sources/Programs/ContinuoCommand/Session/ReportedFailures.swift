import Jukebox

/// The failures of songs that were reported to the operator. A queue that repeats meets the same ones again.
struct ReportedFailures {
  /// The maximum number of remembered songs. After that, failures are reported again.
  static let limit = 1000

  private var reasons: [SongID: String] = [:]

  /// Records a failure. Returns whether it was not the song's last one.
  mutating func isNews(_ song: SongID, _ reason: String) -> Bool {
    if reasons.count >= Self.limit { reasons = [:] }
    return reasons.updateValue(reason, forKey: song) != reason
  }
}
