import ControlProtocol
import ControlServer
import NowPlaying

/// The commands of media keys and desktops, performed like commands of the control socket.
struct DesktopCommands: Sendable {
  let desk: ControlDesk

  /// Performs a command of the desktop and calls `reply` once, on any thread.
  func perform(
    _ kind: CommandOffer.Kinds, _ argument: Double, _ reply: @escaping MPRISPublisher.Reply
  ) {
    guard let commands = Self.commands(for: kind, argument) else {
      return reply(.invalid("the value \(argument) is out of range"))
    }
    perform(commands[...], reply)
  }

  /// Adds the song at `url` to the end of the queue and plays it.
  func open(_ url: String, _ reply: @escaping MPRISPublisher.Reply) {
    desk.perform(.library(.addid(uri: Argument(url), at: nil)), .init(), for: .own) { result in
      switch result {
      case .success(let added): perform([.transport(.playid(id: Self.id(in: added)))], reply)
      case .failure(let ack): reply(.failed(ack.message))
      }
    }
  }

  private func perform(_ commands: ArraySlice<Command>, _ reply: @escaping MPRISPublisher.Reply) {
    guard let command = commands.first else { return reply(nil) }
    desk.perform(command, .init(), for: .own) { result in
      switch result {
      case .success: perform(commands.dropFirst(), reply)
      case .failure(let ack): reply(.failed(ack.message))
      }
    }
  }

  /// Returns the protocol's commands for a command of the desktop; nil if the value is out of range or the
  /// command is not offered.
  private static func commands(for kind: CommandOffer.Kinds, _ value: Double) -> [Command]? {
    switch kind {
    case .play: return [.transport(.play(position: nil))]
    case .pause: return [.transport(.pause(true))]
    case .stop: return [.transport(.stop)]
    case .next: return [.transport(.next)]
    case .previous: return [.transport(.previous)]
    case .position:
      return [.transport(.seekcur(.absolute(.milliseconds(Milliseconds(seconds: value).rawValue))))]
    case .volume: return [.playback(.setvol(Int((value * 100).rounded())))]
    case .shuffleMode: return [.playback(.random(value != Double(MPShuffleType.off.rawValue)))]
    case .repeatMode:
      let type = MPRepeatType(rawValue: Int(value)) ?? .off
      return [.playback(.single(type == .one ? .on : .off)), .playback(.repeat(type != .off))]
    case .rate:
      let percent = (value * 100).rounded()
      let range = PlaybackSpeed.range
      guard Double(range.lowerBound)...Double(range.upperBound) ~= percent else { return nil }
      return [.playback(.speed(PlaybackSpeed(clamping: Int(percent))))]
    default: return nil
    }
  }

  /// Returns the id in the reply to `addid`, which consists of one line.
  private static func id(in reply: Reply) -> UInt32? {
    UInt32(String(decoding: reply.bytes.dropFirst("Id: ".utf8.count).dropLast(), as: UTF8.self))
  }
}
