extension Command {
  /// Understands a request. The checks come in mpd's order: is there such a command, may this client use it, has it
  /// the right number of arguments, are they what they should be.
  package init(_ request: Request, permissions: Permissions = .all) throws(Ack) {
    guard let name = CommandName(rawValue: request.name) else {
      throw Ack(.unknown, "unknown command \"\(request.name)\"")
    }
    guard name.isAllowed(permissions) else {
      throw Ack(.permission, "you don't have permission for \"\(request.name)\"")
    }
    try name.check(argumentCount: request.arguments.count)
    self = try Self.command(name, request.arguments)
  }

  private static func command(_ name: CommandName, _ arguments: [Argument]) throws(Ack) -> Command {
    // Every index below is within the counts that the table allows.
    switch name {
    case .ping: .ping
    case .close: .close
    case .commands: .commands
    case .notcommands: .notcommands
    case .password: .password(arguments[0])
    case .binarylimit: .binarylimit(try binaryLimit(arguments[0]))
    case .tagtypes: .tagtypes(try tagTypes(arguments))
    case .idle: .idle(try subsystems(arguments))
    case .status: .status
    case .currentsong: .currentsong
    case .stats: .stats
    case .clearerror: .clearerror
    case .config: .config
    case .decoders: .decoders
    case .urlhandlers: .urlhandlers
    case .play: .play(position: try arguments.first?.optionalNumber(refusal: .badSongIndex) ?? nil)
    case .playid: .playid(id: try arguments.first?.optionalNumber(refusal: .noSuchSong) ?? nil)
    case .pause: .pause(try arguments.first?.boolean())
    case .stop: .stop
    case .next: .next
    case .previous: .previous
    case .seek: .seek(position: try arguments[0].unsigned(), time: try arguments[1].songTime())
    case .seekid: .seekid(id: try arguments[0].unsigned(), time: try arguments[1].songTime())
    case .seekcur: .seekcur(try arguments[0].seekTarget())
    case .setvol: .setvol(Int(try arguments[0].integer(in: 0...100)))
    case .volume: .volume(Int(try arguments[0].integer(in: -100...100)))
    case .getvol: .getvol
    case .repeat: .repeat(try arguments[0].boolean())
    case .random: .random(try arguments[0].boolean())
    case .single: .single(try single(arguments[0]))
    case .consume: .consume(try consume(arguments[0]))
    case .crossfade: .crossfade(seconds: try arguments[0].unsigned())
    case .replayGainMode: .replayGainMode(try replayGainMode(arguments[0]))
    case .replayGainStatus: .replayGainStatus
    case .add: .add(uri: arguments[0], at: try arguments.second?.queuePosition())
    case .addid: .addid(uri: arguments[0], at: try arguments.second?.queuePosition())
    // Mpd empties the queue for -1. No client means that.
    case .delete: .delete(try arguments[0].range(allowsAll: false))
    case .deleteid: .deleteid(try arguments[0].unsigned())
    case .clear: .clear
    case .move: try move(arguments)
    case .moveid: .moveid(try arguments[0].unsigned(), to: try arguments[1].queuePosition())
    case .swap: .swap(try arguments[0].unsigned(), try arguments[1].unsigned())
    case .swapid: .swapid(try arguments[0].unsigned(), try arguments[1].unsigned())
    case .shuffle: .shuffle(try arguments.first?.range())
    case .rangeid: .rangeid(try arguments[0].unsigned(), try arguments[1].songRange())
    case .playlist: .playlist
    case .playlistinfo: .playlistinfo(try arguments.first?.range())
    case .playlistid: .playlistid(try arguments.first?.unsigned())
    case .plchanges: .plchanges(version: try arguments[0].version(), range: try arguments.second?.range())
    case .plchangesposid:
      .plchangesposid(version: try arguments[0].version(), range: try arguments.second?.range())
    case .playlistfind: .playlistfind(try FilterRequest(arguments, isSearch: false))
    case .playlistsearch: .playlistsearch(try FilterRequest(arguments, isSearch: true))
    case .outputs: .outputs
    case .enableoutput: .enableoutput(try arguments[0].unsigned())
    case .disableoutput: .disableoutput(try arguments[0].unsigned())
    case .toggleoutput: .toggleoutput(try arguments[0].unsigned())
    case .lsinfo: .lsinfo(arguments.first)
    case .listall: .listall(arguments.first)
    case .listallinfo: .listallinfo(arguments.first)
    case .list: .list(try DatabaseQuery.list(arguments))
    case .find: .find(try DatabaseQuery.find(arguments))
    case .search: .search(try DatabaseQuery.find(arguments))
    case .count: .count(try DatabaseQuery.count(arguments))
    case .findadd: .findadd(try DatabaseQuery.add(arguments))
    case .searchadd: .searchadd(try DatabaseQuery.add(arguments))
    case .listplaylists: .listplaylists
    case .listplaylist: .listplaylist(arguments[0])
    case .listplaylistinfo: .listplaylistinfo(arguments[0])
    case .load: try load(arguments)
    case .readpicture: .readpicture(arguments[0], offset: try arguments[1].unsigned())
    case .listpartitions: .listpartitions
    case .partition: .partition(arguments[0])
    case .subscribe: .subscribe(arguments[0])
    case .unsubscribe: .unsubscribe(arguments[0])
    case .channels: .channels
    case .sendmessage: .sendmessage(channel: arguments[0], text: arguments[1])
    case .readmessages: .readmessages
    case .home: .home
    case .foreground: .foreground
    case .lock: .lock
    case .unlock: .unlock
    case .interrupt: .interrupt(try interruption(arguments))
    case .terminate: .terminate
    case .launch: .launch
    case .lifecycle: .lifecycle
    case .watch: .watch(try watch(arguments))
    case .update, .rescan: throw Ack(.noExist, "No database")
    }
  }

  private static func binaryLimit(_ argument: Argument) throws(Ack) -> Int {
    let limit = Int(try argument.integer(in: 0...Int64(ProtocolLimits.largestBinaryChunk)))
    guard limit >= ProtocolLimits.smallestBinaryChunk else { throw Ack(.argument, "Value too small") }
    return limit
  }

  private static func tagTypes(_ arguments: [Argument]) throws(Ack) -> TagTypesRequest {
    guard let word = arguments.first else { return .report }
    let names = arguments.dropFirst()
    switch word {
    case "all", "clear":
      guard names.isEmpty else { throw Ack(.argument, "Too many arguments") }
      return word == "all" ? .all : .clear
    case "enable", "disable":
      guard !names.isEmpty else { throw Ack(.argument, "Not enough arguments") }
      var tags: TagSet = []
      for name in names {
        guard let tag = TagType(name: name) else { throw Ack(.argument, "Unknown tag type") }
        tags.insert(TagSet(tag))
      }
      return word == "enable" ? .enable(tags) : .disable(tags)
    default: throw Ack(.argument, "Unknown sub command")
    }
  }

  private static func subsystems(_ arguments: [Argument]) throws(Ack) -> Subsystems {
    var subsystems: Subsystems = []
    for name in arguments {
      guard let subsystem = Subsystems(name: name) else {
        throw Ack(.argument, "Unrecognized idle event: \(name)")
      }
      subsystems.formUnion(subsystem)
    }
    return arguments.isEmpty ? .standard : subsystems
  }

  private static func single(_ argument: Argument) throws(Ack) -> OneshotMode {
    guard let mode = argument.string.flatMap(OneshotMode.init(rawValue:)) else {
      throw Ack(.argument, "Unrecognized single mode, expected 0, 1, or oneshot")
    }
    return mode
  }

  private static func consume(_ argument: Argument) throws(Ack) -> OneshotMode {
    if argument == "oneshot" { return .oneshot }
    return try argument.boolean() ? .on : .off
  }

  private static func replayGainMode(_ argument: Argument) throws(Ack) -> ReplayGainMode {
    guard let mode = argument.string.flatMap(ReplayGainMode.init(rawValue:)) else {
      throw Ack(.argument, "Unrecognized replay gain mode")
    }
    return mode
  }

  private static func move(_ arguments: [Argument]) throws(Ack) -> Command {
    let range = try arguments[0].range()
    guard range.upperBound != nil else { throw Ack(.argument, "Open-ended range not supported") }
    return .move(range, to: try arguments[1].queuePosition())
  }

  private static func load(_ arguments: [Argument]) throws(Ack) -> Command {
    .load(
      arguments[0], range: try arguments.second?.range(),
      at: arguments.count > 2 ? try arguments[2].queuePosition() : nil)
  }

  private static func interruption(_ arguments: [Argument]) throws(Ack) -> Interruption {
    switch (arguments[0], arguments.second) {
    case ("begin", nil): return .begin
    case ("begin", _): throw Ack(.argument, "too many arguments for \"interrupt\"")
    case ("end", nil), ("end", "resume"): return .end(shouldResume: true)
    case ("end", "noresume"): return .end(shouldResume: false)
    case ("end", let word?): throw Ack(.argument, "Unrecognized end, expected resume or noresume: \(word)")
    default: throw Ack(.argument, "Unrecognized interruption, expected begin or end: \(arguments[0])")
    }
  }

  private static func watch(_ arguments: [Argument]) throws(Ack) -> WatchRequest {
    var request = WatchRequest()
    var rest = arguments[...]
    while let word = rest.popFirst() {
      switch word {
      case "events" where !request.events: request.events = true
      case "time" where request.interval == nil:
        guard let text = rest.popFirst() else { throw Ack(.argument, "Not enough arguments") }
        guard let interval = WatchInterval(text.description) else {
          throw Ack(.argument, "Interval from 0.001 to 3600 seconds expected: \(text)")
        }
        request.interval = interval
      default: throw Ack(.argument, "Unrecognized watch, expected time SECONDS or events: \(word)")
      }
    }
    if arguments.isEmpty { request.events = true }
    return request
  }
}

extension [Argument] {
  fileprivate var second: Argument? { count > 1 ? self[1] : nil }
}
