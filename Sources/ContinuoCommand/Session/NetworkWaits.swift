import ControlProtocol
import Jukebox

/// What a person is told of waits for the network: once for each, and why, where no status line shows that sound is waited for.
struct NetworkWaits {
  /// Whether a status line shows it.
  let isShown: Bool
  /// The current song.
  var current: SongID? {
    didSet { if current != oldValue { wasTold = false } }
  }
  private var status = TimeControlStatus.paused
  private var wasTold = false
  /// Of which song the last request failed, and why.
  private var trouble: (song: SongID, reason: String)?

  init(isShown: Bool) { self.isShown = isShown }

  /// Something happened to a song on the network. A sentence, if it is to be told.
  mutating func take(_ report: NetworkReport, of song: SongID) -> String? {
    switch report.what {
    case .retry: trouble = report.error.map { (song, $0) }
    case .response, .changed, .complete, .lost: trouble = nil
    case .request: break
    }
    return sentence()
  }

  /// The player plays, waits or is paused from now on. A sentence, if it is to be told.
  mutating func take(_ status: TimeControlStatus) -> String? {
    self.status = status
    if status == .playing { wasTold = false }
    return sentence()
  }

  private mutating func sentence() -> String? {
    guard !isShown, !wasTold, status == .waitingToPlayAtSpecifiedRate, let trouble, trouble.song == current
    else { return nil }
    wasTold = true
    return "\(trouble.reason); waiting for it"
  }
}
