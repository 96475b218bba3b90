extension Command {
  /// The command's name.
  package var name: CommandName { parts.name }

  /// The request that is understood as this command.
  ///
  /// Throws a `RequestError` where the grammar cannot express an argument, such as a file name with a newline.
  package func request() throws(RequestError) -> Request {
    let (name, arguments) = parts
    return try Request(name.rawValue, arguments)
  }

  private var parts: (name: CommandName, arguments: [Argument]) {
    switch self {
    case .ping: (.ping, [])
    case .close: (.close, [])
    case .commands: (.commands, [])
    case .notcommands: (.notcommands, [])
    case .password(let password): (.password, [password])
    case .binarylimit(let limit): (.binarylimit, [Argument(limit)])
    case .tagtypes(let request): (.tagtypes, request.arguments)
    case .idle(let subsystems): (.idle, subsystems == .standard ? [] : subsystems.names.map { Argument($0) })
    case .status: (.status, [])
    case .currentsong: (.currentsong, [])
    case .stats: (.stats, [])
    case .clearerror: (.clearerror, [])
    case .config: (.config, [])
    case .decoders: (.decoders, [])
    case .urlhandlers: (.urlhandlers, [])
    case .play(let position): (.play, position.arguments)
    case .playid(let id): (.playid, id.arguments)
    case .pause(let pause): (.pause, pause.map { [Argument($0)] } ?? [])
    case .stop: (.stop, [])
    case .next: (.next, [])
    case .previous: (.previous, [])
    case .seek(let position, let time): (.seek, [Argument(position), Argument(time.description)])
    case .seekid(let id, let time): (.seekid, [Argument(id), Argument(time.description)])
    case .seekcur(let target): (.seekcur, [target.argument])
    case .setvol(let volume): (.setvol, [Argument(volume)])
    case .volume(let change): (.volume, [Argument(change)])
    case .getvol: (.getvol, [])
    case .repeat(let isOn): (.repeat, [Argument(isOn)])
    case .random(let isOn): (.random, [Argument(isOn)])
    case .single(let mode): (.single, [Argument(mode.rawValue)])
    case .consume(let mode): (.consume, [Argument(mode.rawValue)])
    case .crossfade(let seconds): (.crossfade, [Argument(seconds)])
    case .replayGainMode(let mode): (.replayGainMode, [Argument(mode.rawValue)])
    case .replayGainStatus: (.replayGainStatus, [])
    case .add(let uri, let position): (.add, [uri] + position.arguments)
    case .addid(let uri, let position): (.addid, [uri] + position.arguments)
    case .delete(let range): (.delete, [range.argument])
    case .deleteid(let id): (.deleteid, [Argument(id)])
    case .clear: (.clear, [])
    case .move(let range, let position): (.move, [range.argument, position.argument])
    case .moveid(let id, let position): (.moveid, [Argument(id), position.argument])
    case .swap(let first, let second): (.swap, [Argument(first), Argument(second)])
    case .swapid(let first, let second): (.swapid, [Argument(first), Argument(second)])
    case .shuffle(let range): (.shuffle, range.arguments)
    case .rangeid(let id, let range): (.rangeid, [Argument(id), range.argument])
    case .playlist: (.playlist, [])
    case .playlistinfo(let range): (.playlistinfo, range.arguments)
    case .playlistid(let id): (.playlistid, id.arguments)
    case .plchanges(let version, let range): (.plchanges, [Argument(version)] + range.arguments)
    case .plchangesposid(let version, let range): (.plchangesposid, [Argument(version)] + range.arguments)
    case .playlistfind(let filter): (.playlistfind, filter.arguments)
    case .playlistsearch(let filter): (.playlistsearch, filter.arguments)
    case .outputs: (.outputs, [])
    case .enableoutput(let output): (.enableoutput, [Argument(output)])
    case .disableoutput(let output): (.disableoutput, [Argument(output)])
    case .toggleoutput(let output): (.toggleoutput, [Argument(output)])
    case .lsinfo(let uri): (.lsinfo, uri.map { [$0] } ?? [])
    case .listall(let uri): (.listall, uri.map { [$0] } ?? [])
    case .listallinfo(let uri): (.listallinfo, uri.map { [$0] } ?? [])
    case .list(let filter): (.list, filter)
    case .find(let filter): (.find, filter)
    case .search(let filter): (.search, filter)
    case .count(let filter): (.count, filter)
    case .findadd(let filter): (.findadd, filter)
    case .searchadd(let filter): (.searchadd, filter)
    case .listplaylists: (.listplaylists, [])
    case .listplaylist(let name): (.listplaylist, [name])
    case .listplaylistinfo(let name): (.listplaylistinfo, [name])
    case .load(let name, let range, let position): (.load, [name] + Self.loadArguments(range, position))
    case .readpicture(let uri, let offset): (.readpicture, [uri, Argument(offset)])
    case .listpartitions: (.listpartitions, [])
    case .partition(let name): (.partition, [name])
    case .subscribe(let channel): (.subscribe, [channel])
    case .unsubscribe(let channel): (.unsubscribe, [channel])
    case .channels: (.channels, [])
    case .sendmessage(let channel, let text): (.sendmessage, [channel, text])
    case .readmessages: (.readmessages, [])
    case .home: (.home, [])
    case .foreground: (.foreground, [])
    case .lock: (.lock, [])
    case .unlock: (.unlock, [])
    case .interrupt(.begin): (.interrupt, ["begin"])
    case .interrupt(.end(shouldResume: true)): (.interrupt, ["end", "resume"])
    case .interrupt(.end(shouldResume: false)): (.interrupt, ["end", "noresume"])
    case .terminate: (.terminate, [])
    case .launch: (.launch, [])
    case .lifecycle: (.lifecycle, [])
    case .watch(let request): (.watch, request.arguments)
    }
  }

  private static func loadArguments(_ range: PositionRange?, _ position: QueuePosition?) -> [Argument] {
    guard let position else { return range.arguments }
    // The place comes after the range, so there must be one.
    return [(range ?? .all).argument, position.argument]
  }
}

extension Argument {
  fileprivate init(_ number: some BinaryInteger) {
    self.init(String(number))
  }

  fileprivate init(_ flag: Bool) {
    self.init(flag ? "1" : "0")
  }
}

extension UInt32? {
  fileprivate var arguments: [Argument] { map { [Argument($0)] } ?? [] }
}

extension QueuePosition? {
  fileprivate var arguments: [Argument] { map { [$0.argument] } ?? [] }
}

extension PositionRange? {
  fileprivate var arguments: [Argument] { map { [$0.argument] } ?? [] }
}

extension QueuePosition {
  fileprivate var argument: Argument {
    switch self {
    case .absolute(let position): Argument(position)
    case .afterCurrent(let distance): Argument("+\(distance)")
    case .beforeCurrent(let distance): Argument("-\(distance)")
    }
  }
}

extension PositionRange {
  fileprivate var argument: Argument {
    guard let upperBound else { return Argument("\(lowerBound):") }
    return upperBound - lowerBound == 1 ? Argument(lowerBound) : Argument("\(lowerBound):\(upperBound)")
  }
}

extension SongRange {
  fileprivate var argument: Argument {
    let startText = start.rawValue == 0 ? "" : start.description
    return Argument("\(startText):\(end?.description ?? "")")
  }
}

extension SeekTarget {
  fileprivate var argument: Argument {
    switch self {
    case .absolute(let time): Argument(time.description)
    case .relative(let time): Argument("\(time.rawValue < 0 ? "" : "+")\(time)")
    }
  }
}

extension TagTypesRequest {
  fileprivate var arguments: [Argument] {
    switch self {
    case .report: []
    case .all: ["all"]
    case .clear: ["clear"]
    case .enable(let tags): ["enable"] + tags.tags.map { Argument($0.rawValue) }
    case .disable(let tags): ["disable"] + tags.tags.map { Argument($0.rawValue) }
    }
  }
}

extension WatchRequest {
  fileprivate var arguments: [Argument] {
    (interval.map { ["time", Argument($0.description)] } ?? []) + (events ? ["events"] : [])
  }
}
