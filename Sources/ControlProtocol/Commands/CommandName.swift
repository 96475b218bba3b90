/// The name of every command that is carried out. The order is that of `commands`.
///
/// `noidle` and the `command_list_` words are not commands, as in mpd: `ConnectionMachine` knows them.
public enum CommandName: String, Hashable, Sendable, CaseIterable {
  case add, addid, binarylimit, channels, clear, clearerror, close, commands, config, consume, count,
    crossfade
  case currentsong, decoders, delete, deleteid, disableoutput, enableoutput, find, findadd, foreground, getvol
  case home, idle, interrupt, launch, lifecycle, list, listall, listallinfo, listpartitions, listplaylist
  case listplaylistinfo, listplaylists, load, lock, lsinfo, move, moveid, next, notcommands, outputs,
    partition
  case password, pause, ping, play, playid, playlist, playlistfind, playlistid, playlistinfo, playlistsearch
  case plchanges, plchangesposid, previous, random, rangeid, readmessages, readpicture, `repeat`
  case replayGainMode = "replay_gain_mode"
  case replayGainStatus = "replay_gain_status"
  case rescan, search, searchadd, seek, seekcur, seekid, sendmessage, setvol, shuffle, single, stats, status
  case stop, subscribe, swap, swapid, tagtypes, terminate, toggleoutput, unlock, unsubscribe, update,
    urlhandlers
  case volume, watch

  /// How many arguments the command takes. `close` takes whatever comes.
  public var argumentCount: ClosedRange<Int> {
    switch self {
    case .close, .idle, .tagtypes: 0...ProtocolLimits.arguments
    case .count, .find, .findadd, .list, .playlistfind, .playlistsearch, .search, .searchadd:
      1...ProtocolLimits.arguments
    case .channels, .clear, .clearerror, .commands, .config, .currentsong, .decoders, .foreground, .getvol,
      .home,
      .launch, .lifecycle, .listpartitions, .listplaylists, .lock, .next, .notcommands, .outputs, .ping,
      .playlist, .previous, .readmessages, .replayGainStatus, .stats, .status, .stop, .terminate, .unlock,
      .urlhandlers:
      0...0
    case .listall, .listallinfo, .lsinfo, .pause, .play, .playid, .playlistid, .playlistinfo, .rescan,
      .shuffle,
      .update:
      0...1
    case .binarylimit, .consume, .crossfade, .delete, .deleteid, .disableoutput, .enableoutput, .listplaylist,
      .listplaylistinfo, .partition, .password, .random, .repeat, .replayGainMode, .seekcur, .setvol, .single,
      .subscribe, .toggleoutput, .unsubscribe, .volume:
      1...1
    case .add, .addid, .interrupt, .plchanges, .plchangesposid: 1...2
    case .load: 1...3
    case .move, .moveid, .rangeid, .readpicture, .seek, .seekid, .sendmessage, .swap, .swapid: 2...2
    case .watch: 0...3
    }
  }

  /// What a client must be allowed to do for it; empty if every client may. As in mpd, and for the commands that mpd
  /// does not have: `read` to look at the application, `control` to do to it what its user does, `admin` to end and
  /// start it.
  public var permission: Permissions {
    switch self {
    case .binarylimit, .close, .commands, .notcommands, .password, .ping, .tagtypes: []
    case .channels, .count, .currentsong, .decoders, .find, .getvol, .idle, .lifecycle, .list, .listall,
      .listallinfo, .listpartitions, .listplaylist, .listplaylistinfo, .listplaylists, .lsinfo, .outputs,
      .partition, .playlist, .playlistfind, .playlistid, .playlistinfo, .playlistsearch, .plchanges,
      .plchangesposid, .readmessages, .readpicture, .replayGainStatus, .search, .stats, .status, .subscribe,
      .unsubscribe, .urlhandlers, .watch:
      .read
    case .add, .addid, .findadd, .load, .rangeid, .searchadd: .add
    case .clear, .clearerror, .consume, .crossfade, .delete, .deleteid, .move, .moveid, .next, .pause, .play,
      .playid, .previous, .random, .repeat, .replayGainMode, .seek, .seekcur, .seekid, .setvol, .shuffle,
      .single, .stop, .swap, .swapid, .volume:
      .player
    case .foreground, .home, .interrupt, .lock, .rescan, .sendmessage, .unlock, .update: .control
    case .config, .disableoutput, .enableoutput, .launch, .terminate, .toggleoutput: .admin
    }
  }

  /// Whether `commands` and `notcommands` tell of it. `update` and `rescan` are only there to say that there is no
  /// database, which clients take better than an unknown command.
  public var isListed: Bool {
    self != .update && self != .rescan
  }

  /// Whether a client with these permissions may use it.
  public func isAllowed(_ permissions: Permissions) -> Bool {
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
}
