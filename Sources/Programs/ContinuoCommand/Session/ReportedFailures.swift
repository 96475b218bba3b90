import Jukebox

/// The failures of songs that were reported to the operator. A repeating queue has the same failures again.
struct ReportedFailures {
  /// The maximum number of remembered songs. After that, failures are reported again.
  static let limit = 1000

  private var reasons: [SongID: String] = [:]

  /// Records a failure. Returns whether it differs from the song's last failure.
  mutating func isNews(_ song: SongID, _ reason: String) -> Bool {
    if reasons.count >= Self.limit { reasons = [:] }
    return reasons.updateValue(reason, forKey: song) != reason
  }
}
