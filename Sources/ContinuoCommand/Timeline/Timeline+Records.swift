import ControlProtocol
import Foundation

extension Timeline.Entry {
  /// What a drawing shows of something that watchers are told of; nil if nothing.
  init?(_ event: WatchRecord.Event) {
    switch event {
    case .currentItem(let song?, let url):
      let name = url.map { String($0.split(separator: "/").last ?? "") } ?? ""
      self = .item(index: song.index, name: name.removingPercentEncoding ?? name)
    case .currentItem(nil, _): self = .noItem
    case .timeControlStatus(let status, _):
      guard let status = PlayerEvent.TimeControl(rawValue: status) else { return nil }
      self = .timeControl(status)
    case .timeJumped: self = .jumped
    case .time, .applicationState, .didPlayToEndTime, .failed, .coalesced, .alive: return nil
    }
  }
}
