/// The extent of the measurements of the control socket.
struct ControlPlan {
  /// The maximum queue length in mpd's configuration, above the length of any queue below.
  static let songLimit = 200_000
  /// The maximum number of clients that both servers accept.
  static let clients = 100
  static let watchers = 50

  /// The number of requests of each kind in a round.
  var requests: Int
  /// The duration of the crowd and of the watchers, in seconds.
  var seconds: Double
  /// The number of songs to add.
  var added: Int
  /// The numbers of songs in the small and in the large queue.
  var queues = [100, 100_000]
  /// The number of edits of each kind in a round.
  var edits: Int

  var largeQueue: Int { queues.last ?? 0 }

  /// The factor by which measurements with short rounds run more rounds.
  static let shortRounds = 2

  init(quick: Bool, seconds: Double?) {
    requests = quick ? 500 : 2_000
    self.seconds = seconds ?? (quick ? 3 : 10)
    added = quick ? 1_000 : 10_000
    edits = quick ? 50 : 200
    if quick { queues = [100, 10_000] }
  }
}

/// Formats a number with separators, such as "10,000".
func grouped(_ number: Int) -> String {
  var text = String(number)
  var place = text.count - 3
  while place > 0 {
    text.insert(",", at: text.index(text.startIndex, offsetBy: place))
    place -= 3
  }
  return text
}
