package import ControlProtocol

extension Command {
  /// The command's name.
  package var name: String { parts.name }

  /// The request that is understood as this command.
  ///
  /// Throws a `RequestError` where the grammar cannot express an argument, such as a file name with a newline.
  package func request() throws(RequestError) -> Request {
    let (name, arguments) = parts
    return try Request(name, arguments)
  }

  private var parts: (name: String, arguments: [Argument]) {
    switch self {
    case .connection(.ping): ("ping", [])
    case .connection(.close): ("close", [])
    case .connection(.commands): ("commands", [])
    case .connection(.notcommands): ("notcommands", [])
    case .connection(.password(let password)): ("password", [password])
    case .connection(.binarylimit(let limit)): ("binarylimit", [Argument(limit)])
    case .connection(.tagtypes(let request)): ("tagtypes", request.arguments)
    case .connection(.idle(let subsystems)):
      ("idle", subsystems == .standard ? [] : subsystems.names.map { Argument($0) })
    case .playback(.status): ("status", [])
    case .playback(.currentsong): ("currentsong", [])
    case .playback(.stats): ("stats", [])
    case .playback(.clearerror): ("clearerror", [])
    case .fixed(.config): ("config", [])
    case .fixed(.decoders): ("decoders", [])
    case .fixed(.urlhandlers): ("urlhandlers", [])
    case .transport(.play(let position)): ("play", position.arguments)
    case .transport(.playid(let id)): ("playid", id.arguments)
    case .transport(.pause(let pause)): ("pause", pause.map { [Argument($0)] } ?? [])
    case .transport(.stop): ("stop", [])
    case .transport(.next): ("next", [])
    case .transport(.previous): ("previous", [])
    case .transport(.seek(let position, let time)):
      ("seek", [Argument(position), Argument(time.description)])
    case .transport(.seekid(let id, let time)): ("seekid", [Argument(id), Argument(time.description)])
    case .transport(.seekcur(let target)): ("seekcur", [target.argument])
    case .playback(.setvol(let volume)): ("setvol", [Argument(volume)])
    case .playback(.volume(let change)): ("volume", [Argument(change)])
    case .playback(.getvol): ("getvol", [])
    case .playback(.speed(let speed)): ("speed", [Argument(speed.description)])
    case .playback(.getspeed): ("getspeed", [])
    case .playback(.sleep(.after(let time))): ("sleep", [Argument(time.description)])
    case .playback(.sleep(.song)): ("sleep", ["song"])
    case .playback(.sleep(.off)): ("sleep", ["off"])
    case .playback(.getsleep): ("getsleep", [])
    case .playback(.positions): ("positions", [])
    case .playback(.repeat(let isOn)): ("repeat", [Argument(isOn)])
    case .playback(.random(let isOn)): ("random", [Argument(isOn)])
    case .playback(.single(let mode)): ("single", [Argument(mode.rawValue)])
    case .playback(.consume(let mode)): ("consume", [Argument(mode.rawValue)])
    case .fixed(.crossfade(let seconds)): ("crossfade", [Argument(seconds)])
    case .playback(.replayGainMode(let mode)): ("replay_gain_mode", [Argument(mode.rawValue)])
    case .playback(.replayGainStatus): ("replay_gain_status", [])
    case .library(.add(let uri, let position)): ("add", [uri] + position.arguments)
    case .library(.addid(let uri, let position)): ("addid", [uri] + position.arguments)
    case .queue(.delete(let range)): ("delete", [range.argument])
    case .queue(.deleteid(let id)): ("deleteid", [Argument(id)])
    case .queue(.clear): ("clear", [])
    case .queue(.move(let range, let position)): ("move", [range.argument, position.argument])
    case .queue(.moveid(let id, let position)): ("moveid", [Argument(id), position.argument])
    case .queue(.swap(let first, let second)): ("swap", [Argument(first), Argument(second)])
    case .queue(.swapid(let first, let second)): ("swapid", [Argument(first), Argument(second)])
    case .queue(.shuffle(let range)): ("shuffle", range.arguments)
    case .queue(.rangeid(let id, let range)): ("rangeid", [Argument(id), range.argument])
    case .listing(.playlist): ("playlist", [])
    case .listing(.playlistinfo(let range)): ("playlistinfo", range.arguments)
    case .listing(.playlistid(let id)): ("playlistid", id.arguments)
    case .listing(.plchanges(let version, let range)): ("plchanges", [Argument(version)] + range.arguments)
    case .listing(.plchangesposid(let version, let range)):
      ("plchangesposid", [Argument(version)] + range.arguments)
    case .listing(.playlistfind(let filter)): ("playlistfind", filter.arguments)
    case .listing(.playlistsearch(let filter)): ("playlistsearch", filter.arguments)
    case .outputs(.outputs): ("outputs", [])
    case .outputs(.enableoutput(let output)): ("enableoutput", [Argument(output)])
    case .outputs(.disableoutput(let output)): ("disableoutput", [Argument(output)])
    case .outputs(.toggleoutput(let output)): ("toggleoutput", [Argument(output)])
    case .library(.lsinfo(let uri)): ("lsinfo", uri.map { [$0] } ?? [])
    case .database(.listall(let uri)): ("listall", uri.map { [$0] } ?? [])
    case .database(.listallinfo(let uri)): ("listallinfo", uri.map { [$0] } ?? [])
    case .database(.list(let query)): ("list", query.arguments)
    case .database(.find(let query)): ("find", query.arguments)
    case .database(.search(let query)): ("search", query.arguments)
    case .database(.count(let query)): ("count", query.arguments)
    case .database(.findadd(let query)): ("findadd", query.arguments)
    case .database(.searchadd(let query)): ("searchadd", query.arguments)
    case .playlists(.listplaylists): ("listplaylists", [])
    case .playlists(.listplaylist(let name)): ("listplaylist", [name])
    case .playlists(.listplaylistinfo(let name)): ("listplaylistinfo", [name])
    case .playlists(.load(let name, let range, let position)):
      ("load", [name] + Self.loadArguments(range, position))
    case .library(.readpicture(let uri, let offset)): ("readpicture", [uri, Argument(offset)])
    case .library(.albumart(let uri, let offset)): ("albumart", [uri, Argument(offset)])
    case .library(.readcomments(let uri)): ("readcomments", [uri])
    case .library(.getfingerprint(let uri)): ("getfingerprint", [uri])
    case .library(.listfiles(let uri)): ("listfiles", uri.map { [$0] } ?? [])
    case .library(.unplayable(let uri)): ("unplayable", uri.map { [$0] } ?? [])
    case .database(.update(let uri)): ("update", uri.map { [$0] } ?? [])
    case .database(.rescan(let uri)): ("rescan", uri.map { [$0] } ?? [])
    case .fixed(.listpartitions): ("listpartitions", [])
    case .fixed(.partition(let name)): ("partition", [name])
    case .playlists(.save(let name, let mode)): ("save", [name, Argument(mode.rawValue)])
    case .playlists(.rm(let name)): ("rm", [name])
    case .playlists(.rename(let name, let newName)): ("rename", [name, newName])
    case .playlists(.playlistadd(let name, let uri, let position)):
      ("playlistadd", [name, uri] + position.arguments)
    case .playlists(.playlistclear(let name)): ("playlistclear", [name])
    case .playlists(.playlistdelete(let name, let range)): ("playlistdelete", [name, range.argument])
    case .playlists(.playlistmove(let name, let from, let to)):
      ("playlistmove", [name, Argument(from), Argument(to)])
    case .playlists(.searchaddpl(let name, let query)): ("searchaddpl", [name] + query.arguments)
    case .stickers(.get(let uri, let name)): ("sticker", ["get", "song", uri, name])
    case .stickers(.set(let uri, let name, let value)): ("sticker", ["set", "song", uri, name, value])
    case .stickers(.delete(let uri, let name)):
      ("sticker", ["delete", "song", uri] + (name.map { [$0] } ?? []))
    case .stickers(.list(let uri)): ("sticker", ["list", "song", uri])
    case .stickers(.find(let uri, let name, let test)):
      ("sticker", ["find", "song", uri, name] + test.arguments)
    case .queue(.prio(let priority, let ranges)): ("prio", [Argument(priority)] + ranges.map(\.argument))
    case .queue(.prioid(let priority, let ids)): ("prioid", [Argument(priority)] + ids.map { Argument($0) })
    case .queue(.addtagid(let id, let tag, let value)):
      ("addtagid", [Argument(id), Argument(tag.rawValue), value])
    case .queue(.cleartagid(let id, let tag)):
      ("cleartagid", [Argument(id)] + (tag.map { [Argument($0.rawValue)] } ?? []))
    case .fixed(.listmounts): ("listmounts", [])
    case .fixed(.newpartition(let name)): ("newpartition", [name])
    case .fixed(.mixrampdb(let level)): ("mixrampdb", [Argument("\(level)")])
    case .fixed(.mixrampdelay(let delay)): ("mixrampdelay", [Argument(delay.map { "\($0)" } ?? "nan")])
    case .channels(.subscribe(let channel)): ("subscribe", [channel])
    case .channels(.unsubscribe(let channel)): ("unsubscribe", [channel])
    case .channels(.channels): ("channels", [])
    case .channels(.sendmessage(let channel, let text)): ("sendmessage", [channel, text])
    case .channels(.readmessages): ("readmessages", [])
    case .application(.home): ("home", [])
    case .application(.foreground): ("foreground", [])
    case .application(.lock): ("lock", [])
    case .application(.unlock): ("unlock", [])
    case .application(.interrupt(.begin)): ("interrupt", ["begin"])
    case .application(.interrupt(.end(shouldResume: true))): ("interrupt", ["end", "resume"])
    case .application(.interrupt(.end(shouldResume: false))): ("interrupt", ["end", "noresume"])
    case .application(.terminate): ("terminate", [])
    case .application(.launch): ("launch", [])
    case .application(.lifecycle): ("lifecycle", [])
    case .connection(.watch(let request)): ("watch", request.arguments)
    }
  }

  private static func loadArguments(_ range: PositionRange?, _ position: QueuePosition?) -> [Argument] {
    guard let position else { return range.arguments }
    // The place comes after the range, so there must be one.
    return [(range ?? .all).argument, position.argument]
  }
}

extension Argument {
  fileprivate init(_ number: some BinaryInteger) { self.init(String(number)) }

  fileprivate init(_ flag: Bool) { self.init(flag ? "1" : "0") }
}

extension UInt32? {
  fileprivate var arguments: [Argument] { map { [Argument($0)] } ?? [] }
}

extension StickerTest? {
  fileprivate var arguments: [Argument] {
    switch self {
    case nil: []
    case .equals(let value): ["=", value]
    case .below(let value): ["<", value]
    case .above(let value): [">", value]
    }
  }
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
    case .absolute(let time): Argument(Milliseconds(seconds: time / .seconds(1)).description)
    case .relative(let time):
      Argument("\(time < .zero ? "" : "+")\(Milliseconds(seconds: time / .seconds(1)))")
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

extension ConnectionMachine {
  /// Appends the bytes of a text or of an array, in one piece.
  package mutating func append(_ bytes: some Sequence<UInt8>) { Array(bytes).withUnsafeBytes { append($0) } }
}
