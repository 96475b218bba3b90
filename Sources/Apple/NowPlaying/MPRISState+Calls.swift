import Clocks

/// The decision about a method call to an MPRIS player.
enum MPRISDecision: Hashable, Sendable {
  /// Reply at once with these arguments.
  case values([BusValue])
  /// Pass a command with its argument to the application; the reply contains its result.
  case action(CommandOffer.Kinds, Double = 0)
  /// Open the medium at this URL and play it; the reply contains the result.
  case open(String)
  /// Reply at once with this error.
  case failure(BusError)
}

extension MPRISState {
  static let application = "org.mpris.MediaPlayer2"
  static let player = "org.mpris.MediaPlayer2.Player"
  static let properties = "org.freedesktop.DBus.Properties"
  static let path = "/org/mpris/MediaPlayer2"

  /// Returns the decision about a call to the player's object at the given time.
  func decide(_ call: BusMessage, at now: HostTime) -> MPRISDecision {
    guard call.path == Self.path else { return .failure(.unknown("object \(call.path)")) }
    switch (call.interface, call.member, call.signature) {
    case (Self.properties, "Get", "ss"):
      let name = call.arguments.last?.text ?? ""
      guard let value = properties(of: call.arguments.first?.text, at: now)?[name] else {
        return .failure(.unknown("property \(name)"))
      }
      return .values([.variant(value)])
    case (Self.properties, "GetAll", "s"):
      let interface = call.arguments.first?.text
      guard let all = properties(of: interface, at: now) else {
        return .failure(.unknown("interface \(interface ?? "")"))
      }
      return .values([.dictionary(all)])
    case (Self.properties, "Set", "ssv"):
      guard call.arguments.first?.text == Self.player, call.arguments.count == 3 else {
        return .failure(.notSupported("the property cannot be set"))
      }
      return set(call.arguments[1].text ?? "", to: call.arguments[2])
    case ("org.freedesktop.DBus.Introspectable", "Introspect", ""):
      return .values([.string(Self.introspection)])
    case (Self.application, "Raise", ""), (Self.application, "Quit", ""):
      return .failure(.notSupported("the application does not offer it"))
    case (Self.player, _, _): return decide(call.member, call.signature, call.arguments, at: now)
    default: return .failure(.unknown("method \(call.interface).\(call.member)(\(call.signature))"))
    }
  }

  private func properties(of interface: String?, at now: HostTime) -> [String: BusValue]? {
    switch interface {
    case Self.application: applicationProperties
    case Self.player: playerProperties.merging(["Position": position(at: now)]) { $1 }
    default: nil
    }
  }

  /// Returns the first of these commands that is offered; `failure` if none is.
  private func first(_ kinds: CommandOffer.Kinds..., argument: Double = 0) -> MPRISDecision {
    for kind in kinds where offer.has(kind) { return .action(kind, argument) }
    return .failure(.notSupported("the application does not offer it"))
  }

  private func decide(
    _ method: String, _ signature: String, _ arguments: [BusValue], at now: HostTime
  ) -> MPRISDecision {
    switch (method, signature) {
    case ("Play", ""):
      // While playing, `Play` must have no effect, but the toggle command would pause.
      if !offer.has(.play), offer.has(.toggle), status == .playing { return .values([]) }
      return first(.play, .toggle)
    case ("Pause", ""):
      if !offer.has(.pause), offer.has(.toggle), status != .playing { return .values([]) }
      return first(.pause, .toggle)
    case ("PlayPause", ""): return first(.toggle, status == .playing ? .pause : .play)
    case ("Stop", ""): return first(.stop)
    case ("Next", ""):
      return offer.has(.next) ? .action(.next) : first(.skipForward, argument: offer.forwardInterval)
    case ("Previous", ""):
      return offer.has(.previous)
        ? .action(.previous) : first(.skipBackward, argument: offer.backwardInterval)
    case ("Seek", "x") where !canSeek, ("SetPosition", "ox") where !canSeek: return first()
    case ("Seek", "x"): return seek(by: (arguments.first?.number ?? 0) / 1e6, at: now)
    case ("SetPosition", "ox"):
      let target = (arguments.last?.number ?? 0) / 1e6
      // By the specification a position for another item, or outside the current one, has no effect.
      guard info != nil, arguments.first?.text == trackPath, target >= 0, target <= line.duration ?? .infinity
      else { return .values([]) }
      return first(.position, argument: target)
    case ("OpenUri", "s"):
      guard !offer.schemes.isEmpty else { return .failure(.notSupported("nothing can be opened")) }
      return .open(arguments.first?.text ?? "")
    default: return .failure(.unknown("method \(Self.player).\(method)(\(signature))"))
    }
  }

  private func seek(by seconds: Double, at now: HostTime) -> MPRISDecision {
    if offer.has(.position) {
      let target = line.position(at: now) + seconds
      // By the specification a seek past the end selects the next item.
      if let duration = line.duration, target > duration, offer.has(.next) { return .action(.next) }
      return .action(.position, max(0, min(target, line.duration ?? .infinity)))
    }
    return first(seconds < 0 ? .skipBackward : .skipForward, argument: abs(seconds))
  }

  private func set(_ property: String, to value: BusValue) -> MPRISDecision {
    guard case .variant(let value) = value else { return .failure(.invalid("no value")) }
    switch (property, value) {
    case ("Rate", .double(let rate)):
      if rate == 0 { return decide("Pause", "", [], at: line.moment) }
      guard rate.isFinite, rate > 0 else { return .failure(.invalid("a rate of \(rate)")) }
      return first(.rate, argument: rate)
    case ("LoopStatus", .string(let name)) where Self.loops.contains(name):
      return first(.repeatMode, argument: Double(Self.loops.firstIndex(of: name) ?? 0))
    case ("Shuffle", .bool(let isOn)):
      return first(.shuffleMode, argument: Double((isOn ? MPShuffleType.items : .off).rawValue))
    case ("Volume", .double(let volume)):
      guard volume.isFinite else { return .failure(.invalid("a volume of \(volume)")) }
      // By the specification a negative volume counts as 0.
      return first(.volume, argument: min(max(volume, 0), 1))
    case ("Rate", _), ("LoopStatus", _), ("Shuffle", _), ("Volume", _):
      return .failure(.invalid("\(property) cannot be \(value)"))
    default: return .failure(.notSupported("\(property) cannot be set"))
    }
  }

  static let introspection: String = {
    func property(_ name: String, _ type: String, _ access: String = "read") -> String {
      "<property name=\"\(name)\" type=\"\(type)\" access=\"\(access)\"/>"
    }
    func method(_ name: String, _ arguments: (String, String)...) -> String {
      let inner = arguments.map { "<arg name=\"\($0.0)\" type=\"\($0.1)\" direction=\"in\"/>" }.joined()
      return "<method name=\"\(name)\">\(inner)</method>"
    }
    return """
      <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN" \
      "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
      <node>
      <interface name="\(application)">
      \(method("Raise"))\(method("Quit"))
      \(property("Identity", "s"))\(property("CanQuit", "b"))\(property("CanRaise", "b"))
      \(property("HasTrackList", "b"))\(property("SupportedUriSchemes", "as"))
      \(property("SupportedMimeTypes", "as"))
      </interface>
      <interface name="\(player)">
      \(method("Play"))\(method("Pause"))\(method("PlayPause"))\(method("Stop"))\(method("Next"))
      \(method("Previous"))\(method("Seek", ("Offset", "x")))
      \(method("SetPosition", ("TrackId", "o"), ("Position", "x")))\(method("OpenUri", ("Uri", "s")))
      <signal name="Seeked"><arg name="Position" type="x"/></signal>
      \(property("PlaybackStatus", "s"))\(property("LoopStatus", "s", "readwrite"))
      \(property("Rate", "d", "readwrite"))\(property("Shuffle", "b", "readwrite"))
      \(property("Metadata", "a{sv}"))\(property("Volume", "d", "readwrite"))\(property("Position", "x"))
      \(property("MinimumRate", "d"))\(property("MaximumRate", "d"))\(property("CanGoNext", "b"))
      \(property("CanGoPrevious", "b"))\(property("CanPlay", "b"))\(property("CanPause", "b"))
      \(property("CanSeek", "b"))\(property("CanControl", "b"))
      </interface>
      <interface name="\(properties)">
      <method name="Get"><arg type="s" direction="in"/><arg type="s" direction="in"/>\
      <arg type="v" direction="out"/></method>
      <method name="GetAll"><arg type="s" direction="in"/><arg type="a{sv}" direction="out"/></method>
      <method name="Set"><arg type="s" direction="in"/><arg type="s" direction="in"/>\
      <arg type="v" direction="in"/></method>
      <signal name="PropertiesChanged"><arg type="s"/><arg type="a{sv}"/><arg type="as"/></signal>
      </interface>
      </node>
      """
  }()
}
