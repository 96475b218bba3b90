/// The name of every command that is carried out. The order is that of `commands`.
///
/// `noidle` and the `command_list_` words are not commands, as in mpd: `ConnectionMachine` knows them.
package enum CommandName: String, Hashable, Sendable, CaseIterable {
  case add, addid, binarylimit, channels, clear, clearerror, close, commands, config, consume, count
  case crossfade, currentsong, decoders, delete, deleteid, disableoutput, enableoutput, find, findadd
  case foreground, getvol, home, idle, interrupt, launch, lifecycle, list, listall, listallinfo
  case listpartitions, listplaylist, listplaylistinfo, listplaylists, load, lock, lsinfo, move, moveid
  case next, notcommands, outputs, partition, password, pause, ping, play, playid, playlist, playlistfind
  case playlistid, playlistinfo, playlistsearch, plchanges, plchangesposid, previous, random, rangeid
  case readmessages, readpicture, `repeat`
  case replayGainMode = "replay_gain_mode"
  case replayGainStatus = "replay_gain_status"
  case rescan, search, searchadd, seek, seekcur, seekid, sendmessage, setvol, shuffle, single, stats
  case status, stop, subscribe, swap, swapid, tagtypes, terminate, toggleoutput, unlock, unsubscribe
  case update, urlhandlers, volume, watch

  /// How many arguments the command takes. `close` takes whatever comes.
  package var argumentCount: ClosedRange<Int> { row.arguments }

  /// What a client must be allowed to do for it; empty if every client may.
  package var permission: Permissions { row.permission }

  /// Whether `commands` and `notcommands` tell of it. `update` and `rescan` are only there to say that there is no
  /// database, which clients take better than an unknown command.
  package var isListed: Bool {
    self != .update && self != .rescan
  }

  /// Whether a client with these permissions may use it.
  package func isAllowed(_ permissions: Permissions) -> Bool {
    permissions.isSuperset(of: permission)
  }

  /// Refuses a wrong number of arguments, in mpd's words.
  func check(argumentCount count: Int) throws(Ack) {
    let expected = argumentCount
    if expected.contains(count) { return }
    let problem =
      expected.lowerBound == expected.upperBound
      ? "wrong number of" : count < expected.lowerBound ? "too few" : "too many"
    throw Ack(.argument, "\(problem) arguments for \"\(rawValue)\"")
  }

  /// As in mpd, and for the commands that mpd does not have: `read` to look at the application, `control` to do to it
  /// what its user does, `admin` to end and start it.
  private var row: (arguments: ClosedRange<Int>, permission: Permissions) {
    let any = ProtocolLimits.arguments
    return switch self {
    case .add: (1...2, .add)
    case .addid: (1...2, .add)
    case .binarylimit: (1...1, [])
    case .channels: (0...0, .read)
    case .clear: (0...0, .player)
    case .clearerror: (0...0, .player)
    case .close: (0...any, [])
    case .commands: (0...0, [])
    case .config: (0...0, .admin)
    case .consume: (1...1, .player)
    case .count: (1...any, .read)
    case .crossfade: (1...1, .player)
    case .currentsong: (0...0, .read)
    case .decoders: (0...0, .read)
    case .delete: (1...1, .player)
    case .deleteid: (1...1, .player)
    case .disableoutput: (1...1, .admin)
    case .enableoutput: (1...1, .admin)
    case .find: (1...any, .read)
    case .findadd: (1...any, .add)
    case .foreground: (0...0, .control)
    case .getvol: (0...0, .read)
    case .home: (0...0, .control)
    case .idle: (0...any, .read)
    case .interrupt: (1...2, .control)
    case .launch: (0...0, .admin)
    case .lifecycle: (0...0, .read)
    case .list: (1...any, .read)
    case .listall: (0...1, .read)
    case .listallinfo: (0...1, .read)
    case .listpartitions: (0...0, .read)
    case .listplaylist: (1...1, .read)
    case .listplaylistinfo: (1...1, .read)
    case .listplaylists: (0...0, .read)
    case .load: (1...3, .add)
    case .lock: (0...0, .control)
    case .lsinfo: (0...1, .read)
    case .move: (2...2, .player)
    case .moveid: (2...2, .player)
    case .next: (0...0, .player)
    case .notcommands: (0...0, [])
    case .outputs: (0...0, .read)
    case .partition: (1...1, .read)
    case .password: (1...1, [])
    case .pause: (0...1, .player)
    case .ping: (0...0, [])
    case .play: (0...1, .player)
    case .playid: (0...1, .player)
    case .playlist: (0...0, .read)
    case .playlistfind: (1...any, .read)
    case .playlistid: (0...1, .read)
    case .playlistinfo: (0...1, .read)
    case .playlistsearch: (1...any, .read)
    case .plchanges: (1...2, .read)
    case .plchangesposid: (1...2, .read)
    case .previous: (0...0, .player)
    case .random: (1...1, .player)
    case .rangeid: (2...2, .add)
    case .readmessages: (0...0, .read)
    case .readpicture: (2...2, .read)
    case .repeat: (1...1, .player)
    case .replayGainMode: (1...1, .player)
    case .replayGainStatus: (0...0, .read)
    case .rescan: (0...1, .control)
    case .search: (1...any, .read)
    case .searchadd: (1...any, .add)
    case .seek: (2...2, .player)
    case .seekcur: (1...1, .player)
    case .seekid: (2...2, .player)
    case .sendmessage: (2...2, .control)
    case .setvol: (1...1, .player)
    case .shuffle: (0...1, .player)
    case .single: (1...1, .player)
    case .stats: (0...0, .read)
    case .status: (0...0, .read)
    case .stop: (0...0, .player)
    case .subscribe: (1...1, .read)
    case .swap: (2...2, .player)
    case .swapid: (2...2, .player)
    case .tagtypes: (0...any, [])
    case .terminate: (0...0, .admin)
    case .toggleoutput: (1...1, .admin)
    case .unlock: (0...0, .control)
    case .unsubscribe: (1...1, .read)
    case .update: (0...1, .control)
    case .urlhandlers: (0...0, .read)
    case .volume: (1...1, .player)
    case .watch: (0...3, .read)
    }
  }
}
