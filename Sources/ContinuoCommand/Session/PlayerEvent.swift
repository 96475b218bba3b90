import AppLifecycle
import ControlProtocol

/// Something that observers of the player see, for `--events`.
enum PlayerEvent: Hashable, Sendable {
  /// The item that is now current; nil after the last one.
  case currentItem(index: Int?, url: String?)
  /// A call of the periodic observer: `value / timescale` seconds of the item are heard.
  case time(index: Int, value: Int64, timescale: Int32, state: ApplicationState)
  /// Whether time moves, and if it waits, why.
  case timeControlStatus(TimeControlStatus, reason: String?)
  /// The application has reached this state.
  case applicationState(ApplicationState)
  /// An item was heard to its end.
  case didPlayToEndTime(index: Int)
  /// An item could not be played (further).
  case failed(index: Int, url: String, error: String)
  /// The queue is at its end.
  case finished
}
