extension CommandRow {
  private static let many = ProtocolLimits.arguments

  /// All commands in the order of the `commands` reply, each with its name, number of arguments, permission
  /// and parser. The group of the parsed command determines the code that performs it.
  ///
  /// mpd's commands require mpd's permissions. Commands about the application, which mpd lacks, require `read`
  /// to query it, `control` to act as its user, and `admin` to end or start it. As in mpd, `noidle` and the
  /// `command_list_` words are not commands: `ConnectionMachine` handles them.
  package static let all: [CommandRow] = [
    .init("add", 1...2, .add) { a throws(Ack) in .library(.add(uri: a[0], at: try a.second?.queuePosition()))
    },
    .init("addid", 1...2, .add) { a throws(Ack) in
      .library(.addid(uri: a[0], at: try a.second?.queuePosition()))
    },
    .init("addtagid", 3...3, .add) { a throws(Ack) in
      let tag = try a[1].tagType()
      return .queue(.addtagid(try a[0].unsigned(), tag, a[2]))
    },
    .init("albumart", 2...2, .read) { a throws(Ack) in
      .library(.albumart(a[0], offset: try a[1].unsigned()))
    },
    .init("binarylimit", 1...1, []) { a throws(Ack) in .connection(.binarylimit(try binaryLimit(a[0]))) },
    .init("channels", .read, .channels(.channels)),
    .init("clear", .player, .queue(.clear)),
    .init("clearerror", .player, .playback(.clearerror)),
    .init("cleartagid", 1...2, .add) { a throws(Ack) in
      let tag = try a.second?.tagType()
      return .queue(.cleartagid(try a[0].unsigned(), tag))
    },
    // As in mpd, `close` accepts and ignores any arguments.
    .init("close", 0...many, []) { _ in .connection(.close) },
    .init("commands", [], .connection(.commands)),
    .init("config", .admin, .fixed(.config)),
    .init("consume", 1...1, .player) { a throws(Ack) in .playback(.consume(try consume(a[0]))) },
    .init("count", 1...many, .read) { a throws(Ack) in .database(.count(try CountQuery(a))) },
    .init("crossfade", 1...1, .player) { a throws(Ack) in .fixed(.crossfade(seconds: try a[0].unsigned())) },
    .init("currentsong", .read, .playback(.currentsong)),
    .init("decoders", .read, .fixed(.decoders)),
    // `delete -1` is refused. In mpd it empties the queue, which no client intends.
    .init("delete", 1...1, .player) { a throws(Ack) in .queue(.delete(try a[0].range(allowsAll: false))) },
    .init("deleteid", 1...1, .player) { a throws(Ack) in .queue(.deleteid(try a[0].unsigned())) },
    .init("disableoutput", 1...1, .admin) { a throws(Ack) in .outputs(.disableoutput(try a[0].unsigned())) },
    .init("enableoutput", 1...1, .admin) { a throws(Ack) in .outputs(.enableoutput(try a[0].unsigned())) },
    .init("find", 1...many, .read) { a throws(Ack) in .database(.find(try SongQuery(a, isSearch: false))) },
    .init("findadd", 1...many, .add) { a throws(Ack) in
      .database(.findadd(try SongQuery(a, isSearch: false, adds: true)))
    },
    .init("foreground", .control, .application(.foreground)),
    .init("getfingerprint", 1...1, .read) { a throws(Ack) in .library(.getfingerprint(a[0])) },
    .init("getsleep", .read, .playback(.getsleep)),
    .init("getspeed", .read, .playback(.getspeed)),
    .init("getvol", .read, .playback(.getvol)),
    .init("home", .control, .application(.home)),
    .init("idle", 0...many, .read) { a throws(Ack) in .connection(.idle(try subsystems(a))) },
    .init("interrupt", 1...2, .control) { a throws(Ack) in .application(.interrupt(try interruption(a))) },
    .init("launch", .admin, .application(.launch)),
    .init("lifecycle", .read, .application(.lifecycle)),
    .init("list", 1...many, .read) { a throws(Ack) in .database(.list(try TagQuery(a))) },
    .init("listall", 0...1, .read) { a throws(Ack) in .database(.listall(a.first)) },
    .init("listallinfo", 0...1, .read) { a throws(Ack) in .database(.listallinfo(a.first)) },
    .init("listfiles", 0...1, .read) { a throws(Ack) in .library(.listfiles(a.first)) },
    .init("listmounts", .read, .fixed(.listmounts)),
    .init("listpartitions", .read, .fixed(.listpartitions)),
    .init("listplaylist", 1...1, .read) { a throws(Ack) in .playlists(.listplaylist(a[0])) },
    .init("listplaylistinfo", 1...1, .read) { a throws(Ack) in
      .playlists(.listplaylistinfo(a[0]))
    },
    .init("listplaylists", .read, .playlists(.listplaylists)),
    .init("load", 1...3, .add) { a throws(Ack) in .playlists(try load(a)) },
    .init("lock", .control, .application(.lock)),
    .init("lsinfo", 0...1, .read) { a throws(Ack) in .library(.lsinfo(a.first)) },
    .init("mixrampdb", 1...1, .player) { a throws(Ack) in .fixed(.mixrampdb(try finite(a[0]))) },
    .init("mixrampdelay", 1...1, .player) { a throws(Ack) in
      .fixed(.mixrampdelay(a[0] == "nan" ? nil : try finite(a[0])))
    },
    .init("move", 2...2, .player) { a throws(Ack) in .queue(try move(a)) },
    .init("moveid", 2...2, .player) { a throws(Ack) in
      .queue(.moveid(try a[0].unsigned(), to: try a[1].queuePosition()))
    },
    .init("newpartition", 1...1, .admin) { a throws(Ack) in .fixed(.newpartition(a[0])) },
    .init("next", .player, .transport(.next)),
    .init("notcommands", [], .connection(.notcommands)),
    .init("outputs", .read, .outputs(.outputs)),
    .init("partition", 1...1, .read) { a throws(Ack) in .fixed(.partition(a[0])) },
    .init("password", 1...1, []) { a throws(Ack) in .connection(.password(a[0])) },
    .init("pause", 0...1, .player) { a throws(Ack) in .transport(.pause(try a.first?.boolean())) },
    .init("ping", [], .connection(.ping)),
    .init("play", 0...1, .player) { a throws(Ack) in
      .transport(.play(position: try a.first?.optionalNumber(refusal: .badSongIndex) ?? nil))
    },
    .init("playid", 0...1, .player) { a throws(Ack) in
      .transport(.playid(id: try a.first?.optionalNumber(refusal: .noSuchSong) ?? nil))
    },
    .init("playlist", .read, .listing(.playlist)),
    .init("playlistadd", 2...3, .control) { a throws(Ack) in
      .playlists(.playlistadd(a[0], uri: a[1], at: a.count > 2 ? try a[2].unsigned() : nil))
    },
    .init("playlistclear", 1...1, .control) { a throws(Ack) in .playlists(.playlistclear(a[0])) },
    .init("playlistdelete", 2...2, .control) { a throws(Ack) in
      .playlists(.playlistdelete(a[0], try a[1].range()))
    },
    .init("playlistfind", 1...many, .read) { a throws(Ack) in
      .listing(.playlistfind(try FilterRequest(a, isSearch: false)))
    },
    .init("playlistid", 0...1, .read) { a throws(Ack) in .listing(.playlistid(try a.first?.unsigned())) },
    .init("playlistinfo", 0...1, .read) { a throws(Ack) in .listing(.playlistinfo(try a.first?.range())) },
    .init("playlistmove", 3...3, .control) { a throws(Ack) in
      .playlists(.playlistmove(a[0], from: try a[1].unsigned(), to: try a[2].unsigned()))
    },
    .init("playlistsearch", 1...many, .read) { a throws(Ack) in
      .listing(.playlistsearch(try FilterRequest(a, isSearch: true)))
    },
    .init("plchanges", 1...2, .read) { a throws(Ack) in
      .listing(.plchanges(version: try a[0].version(), range: try a.second?.range()))
    },
    .init("plchangesposid", 1...2, .read) { a throws(Ack) in
      .listing(.plchangesposid(version: try a[0].version(), range: try a.second?.range()))
    },
    .init("positions", .read, .playback(.positions)),
    .init("previous", .player, .transport(.previous)),
    .init("prio", 2...many, .player) { a throws(Ack) in
      .queue(.prio(try priority(a[0]), try a.dropFirst().map { x throws(Ack) in try x.range() }))
    },
    .init("prioid", 2...many, .player) { a throws(Ack) in
      .queue(.prioid(try priority(a[0]), try a.dropFirst().map { x throws(Ack) in try x.unsigned() }))
    },
    .init("random", 1...1, .player) { a throws(Ack) in .playback(.random(try a[0].boolean())) },
    .init("rangeid", 2...2, .add) { a throws(Ack) in
      .queue(.rangeid(try a[0].unsigned(), try a[1].songRange()))
    },
    .init("readcomments", 1...1, .read) { a throws(Ack) in .library(.readcomments(a[0])) },
    .init("readmessages", .read, .channels(.readmessages)),
    .init("readpicture", 2...2, .read) { a throws(Ack) in
      .library(.readpicture(a[0], offset: try a[1].unsigned()))
    },
    .init("rename", 2...2, .control) { a throws(Ack) in .playlists(.rename(a[0], to: a[1])) },
    .init("repeat", 1...1, .player) { a throws(Ack) in .playback(.repeat(try a[0].boolean())) },
    .init("replay_gain_mode", 1...1, .player) { a throws(Ack) in
      .playback(.replayGainMode(try word(a[0], else: "Unrecognized replay gain mode")))
    },
    .init("replay_gain_status", .read, .playback(.replayGainStatus)),
    .init("rescan", 0...1, .control) { a throws(Ack) in .database(.rescan(a.first)) },
    .init("rm", 1...1, .control) { a throws(Ack) in .playlists(.rm(a[0])) },
    .init("save", 1...2, .control) { a throws(Ack) in
      let problem = "Unrecognized save mode, expected one of create, append, or replace"
      return .playlists(
        .save(a[0], try a.second.map { x throws(Ack) in try word(x, else: problem) } ?? .create))
    },
    .init("search", 1...many, .read) { a throws(Ack) in .database(.search(try SongQuery(a, isSearch: true)))
    },
    .init("searchadd", 1...many, .add) { a throws(Ack) in
      .database(.searchadd(try SongQuery(a, isSearch: true, adds: true)))
    },
    .init("searchaddpl", 2...many, .control) { a throws(Ack) in
      .playlists(.searchaddpl(a[0], try SongQuery(Array(a.dropFirst()), isSearch: true, adds: true)))
    },
    .init("seek", 2...2, .player) { a throws(Ack) in
      .transport(.seek(position: try a[0].unsigned(), time: try a[1].songTime()))
    },
    .init("seekcur", 1...1, .player) { a throws(Ack) in .transport(.seekcur(try a[0].seekTarget())) },
    .init("seekid", 2...2, .player) { a throws(Ack) in
      .transport(.seekid(id: try a[0].unsigned(), time: try a[1].songTime()))
    },
    .init("sendmessage", 2...2, .control) { a throws(Ack) in
      .channels(.sendmessage(channel: a[0], text: a[1]))
    },
    .init("setvol", 1...1, .player) { a throws(Ack) in .playback(.setvol(Int(try a[0].integer(in: 0...100))))
    },
    .init("shuffle", 0...1, .player) { a throws(Ack) in .queue(.shuffle(try a.first?.range())) },
    .init("single", 1...1, .player) { a throws(Ack) in
      .playback(.single(try word(a[0], else: "Unrecognized single mode, expected 0, 1, or oneshot")))
    },
    .init("sleep", 1...1, .player) { a throws(Ack) in .playback(.sleep(try sleep(a[0]))) },
    .init("speed", 1...1, .player) { a throws(Ack) in .playback(.speed(try speed(a[0]))) },
    .init("stats", .read, .playback(.stats)),
    .init("status", .read, .playback(.status)),
    .init("sticker", 3...many, .admin) { a throws(Ack) in .stickers(try sticker(a)) },
    .init("stop", .player, .transport(.stop)),
    .init("subscribe", 1...1, .read) { a throws(Ack) in .channels(.subscribe(a[0])) },
    .init("swap", 2...2, .player) { a throws(Ack) in .queue(.swap(try a[0].unsigned(), try a[1].unsigned()))
    },
    .init("swapid", 2...2, .player) { a throws(Ack) in
      .queue(.swapid(try a[0].unsigned(), try a[1].unsigned()))
    },
    .init("tagtypes", 0...many, []) { a throws(Ack) in .connection(.tagtypes(try tagTypes(a))) },
    .init("terminate", .admin, .application(.terminate)),
    .init("toggleoutput", 1...1, .admin) { a throws(Ack) in .outputs(.toggleoutput(try a[0].unsigned())) },
    .init("unlock", .control, .application(.unlock)),
    .init("unplayable", 0...1, .add) { a throws(Ack) in .library(.unplayable(a.first)) },
    .init("unsubscribe", 1...1, .read) { a throws(Ack) in .channels(.unsubscribe(a[0])) },
    .init("update", 0...1, .control) { a throws(Ack) in .database(.update(a.first)) },
    .init("urlhandlers", .read, .fixed(.urlhandlers)),
    .init("volume", 1...1, .player) { a throws(Ack) in
      .playback(.volume(Int(try a[0].integer(in: -100...100))))
    },
    .init("watch", 0...3, .read) { a throws(Ack) in .connection(.watch(try watch(a))) },
  ]
}

// MARK: - Arguments of single commands

extension CommandRow {
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

  private static func speed(_ argument: Argument) throws(Ack) -> PlaybackSpeed {
    guard let speed = argument.string.flatMap({ PlaybackSpeed($0) }) else {
      throw Ack(.argument, "Speed from 0.25 to 4 expected: \(argument)")
    }
    return speed
  }

  private static func sleep(_ argument: Argument) throws(Ack) -> SleepRequest {
    switch argument {
    case "song": return .song
    case "off": return .off
    default:
      let time = try argument.songTime()
      guard time.rawValue > 0, time.seconds <= ProtocolLimits.longestSleep else {
        throw Ack(.argument, "Seconds up to a day, song or off expected: \(argument)")
      }
      return .after(time)
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

  /// Returns the value whose raw value is the argument. Throws the message `problem` if there is none.
  private static func word<Value: RawRepresentable<String>>(
    _ argument: Argument, else problem: String
  ) throws(Ack) -> Value {
    guard let value = argument.string.flatMap(Value.init(rawValue:)) else { throw Ack(.argument, problem) }
    return value
  }

  private static func consume(_ argument: Argument) throws(Ack) -> OneshotMode {
    if argument == "oneshot" { return .oneshot }
    return try argument.boolean() ? .on : .off
  }

  private static func move(_ arguments: [Argument]) throws(Ack) -> Command.Queue {
    let range = try arguments[0].range()
    guard range.upperBound != nil else { throw Ack(.argument, "Open-ended range not supported") }
    return .move(range, to: try arguments[1].queuePosition())
  }

  private static func priority(_ argument: Argument) throws(Ack) -> UInt8 {
    // The range is the same as the type's, so no bits are lost.
    UInt8(truncatingIfNeeded: try argument.integer(in: 0...Int64(UInt8.max)))
  }

  private static func finite(_ argument: Argument) throws(Ack) -> Double {
    let value = try argument.seconds()
    guard value.isFinite else { throw Ack(.argument, "Float expected: \(argument)") }
    return value
  }

  private static func sticker(_ arguments: [Argument]) throws(Ack) -> Command.Stickers {
    guard arguments[1] == "song" else { throw Ack(.argument, "unknown sticker domain") }
    let uri = arguments[2]
    let rest = Array(arguments.dropFirst(3))
    switch (arguments[0], rest.count) {
    case ("get", 1): return .get(uri: uri, name: rest[0])
    case ("set", 2) where rest[0] != "": return .set(uri: uri, name: rest[0], value: rest[1])
    case ("delete", 0...1): return .delete(uri: uri, name: rest.first)
    case ("list", 0): return .list(uri: uri)
    case ("find", 1): return .find(uri: uri, name: rest[0], nil)
    case ("find", 3):
      let test: StickerTest
      switch rest[1] {
      case "=": test = .equals(rest[2])
      case "<": test = .below(rest[2])
      case ">": test = .above(rest[2])
      default: throw Ack(.argument, "bad operator")
      }
      return .find(uri: uri, name: rest[0], test)
    default: throw Ack(.argument, "bad request")
    }
  }

  private static func load(_ arguments: [Argument]) throws(Ack) -> Command.Playlists {
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
