import Clocks
import Continuo
import ControlProtocol
import Foundation
import Jukebox
import JukeboxPlayback
import MusicFiles
import RunTimeline

extension TimelineFile {
  /// Returns the timeline that `--timeline` requests; nil without the option. Ends the command if the file cannot
  /// be written.
  static func orExit(
    option path: String?, notes: @autoclosure () -> String, clock: any HostClock
  ) throws -> TimelineFile? {
    guard let path else { return nil }
    let title = RunTitle(
      program: "continuo", arguments: RawArguments.forRecords(), version: Version.number,
      secondsSince1970: Date().timeIntervalSince1970, notes: notes())
    return try ExitStatus.usage.orExit("--timeline \(path)") {
      try TimelineFile(path: RawArguments.bytes(of: path), title: title, clock: clock)
    }
  }

  func writeAtEnd() {
    do { try write() } catch { StandardOutput.complain("cannot write the timeline: \(error)") }
  }
}

extension Timeline.Entry {
  init?(_ event: JukeboxEvent, _ host: JukeboxHost) {
    switch event {
    case .currentItem(let song?): self = .item(index: host.index(of: song.id), name: song.fileName)
    case .currentItem(nil): self = .noItem
    case .timeJumped: self = .jumped
    case .timeControlStatus(.paused, _): self = .sound(.silent)
    case .timeControlStatus(.waitingToPlayAtSpecifiedRate, _): self = .sound(.waiting)
    case .timeControlStatus(.playing, _): self = .sound(.audible)
    case .didPlayToEndTime, .failed, .interruption, .playerFailed, .stalled, .loaded, .network, .learned,
      .station, .timedMetadata:
      return nil
    }
  }
}
