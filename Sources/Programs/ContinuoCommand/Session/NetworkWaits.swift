import ControlProtocol
import Jukebox

/// Messages about waits for the network: one for each wait.
struct NetworkWaits {
  var current: SongID? {
    didSet { if current != oldValue { wasTold = false } }
  }
  private var status = TimeControlStatus.paused
  private var wasTold = false
  /// The song of the last failed request, with the reason; nil after a later response or end of a transfer of that
  /// song.
  private var trouble: (song: SongID, reason: String)?

  /// Records an event of a song on the network. Returns a message if one is due.
  mutating func take(_ report: NetworkReport, of song: SongID) -> String? {
    switch report.what {
    case .retry: trouble = report.error.map { (song, $0) }
    case .response, .changed, .complete, .lost: if trouble?.song == song { trouble = nil }
    case .request: break
    }
    return sentence()
  }

  /// Records a change of the player's status. Returns a message if one is due.
  mutating func take(_ status: TimeControlStatus) -> String? {
    self.status = status
    if status == .playing { wasTold = false }
    return sentence()
  }

  private mutating func sentence() -> String? {
    guard !wasTold, status == .waitingToPlayAtSpecifiedRate, let trouble, trouble.song == current
    else { return nil }
    wasTold = true
    return "\(trouble.reason); waiting for it"
  }
}
