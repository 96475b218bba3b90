/// How much the measurements of the control socket do.
struct ControlPlan {
  /// mpd holds so many songs, as it is configured here: more than any queue below.
  static let songLimit = 200_000
  /// As many as both servers take.
  static let clients = 100
  static let watchers = 50

  /// Requests of each kind in a round.
  var requests: Int
  /// Seconds of the crowd and of the watchers.
  var seconds: Double
  /// Songs that are added.
  var added: Int
  /// Songs in the small and in the large queue.
  var queues = [100, 100_000]
  /// Edits of each kind in a round.
  var edits: Int

  var largeQueue: Int { queues.last ?? 0 }

  /// Rounds that are short are more.
  static let shortRounds = 2

  init(quick: Bool, seconds: Double?) {
    requests = quick ? 500 : 2_000
    self.seconds = seconds ?? (quick ? 3 : 10)
    added = quick ? 1_000 : 10_000
    edits = quick ? 50 : 200
    if quick { queues = [100, 10_000] }
  }
}

/// "10,000".
func grouped(_ number: Int) -> String {
  var text = String(number)
  var place = text.count - 3
  while place > 0 {
    text.insert(",", at: text.index(text.startIndex, offsetBy: place))
    place -= 3
  }
  return text
}
