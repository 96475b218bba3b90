/// A background execution mode, identified by its name under `UIBackgroundModes` in a property list.
public struct BackgroundMode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The name in the property list.
  public var rawValue: String

  /// Creates a mode with the given name, known or not.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Plays audio in the background.
  public static let audio = BackgroundMode(rawValue: "audio")
  /// Receives location updates in the background.
  public static let location = BackgroundMode(rawValue: "location")
  /// Receives phone calls over the network (VoIP).
  public static let voip = BackgroundMode(rawValue: "voip")
  /// Wakes the application periodically to fetch new content.
  public static let fetch = BackgroundMode(rawValue: "fetch")
  /// Wakes the application for minutes of work while the machine is idle.
  public static let processing = BackgroundMode(rawValue: "processing")
  /// Wakes the application for remote notifications from a server.
  public static let remoteNotification = BackgroundMode(rawValue: "remote-notification")
  /// Communicates with an attached accessory.
  public static let externalAccessory = BackgroundMode(rawValue: "external-accessory")
  /// Communicates with Bluetooth accessories.
  public static let bluetoothCentral = BackgroundMode(rawValue: "bluetooth-central")
  /// Acts as a Bluetooth accessory.
  public static let bluetoothPeripheral = BackgroundMode(rawValue: "bluetooth-peripheral")

  /// The modes whose names are known here, in the order in which they are listed to users.
  public static let known: [BackgroundMode] = [
    .audio, .fetch, .processing, .location, .voip, .remoteNotification, .externalAccessory, .bluetoothCentral,
    .bluetoothPeripheral,
  ]

  /// The raw value: the name in the property list.
  public var description: String { rawValue }
}

/// The background modes of an application.
public struct BackgroundModes: Hashable, Sendable, CustomStringConvertible {
  /// The set of modes, without the unknown names dropped while reading.
  public private(set) var modes: Set<BackgroundMode>
  /// A warning sentence for each unknown name that was dropped, in input order.
  public private(set) var warnings: [String] = []

  /// Creates exactly these modes. Unknown modes are kept without a warning.
  public init(_ modes: Set<BackgroundMode> = []) { self.modes = modes }

  /// Creates the modes with the given names, as in a property list. Names are case-sensitive, as on Apple's
  /// systems. Unknown names are dropped and reported in `warnings`.
  public init(names: some Sequence<String>) {
    self.init()
    for name in names {
      let mode = BackgroundMode(rawValue: name)
      if BackgroundMode.known.contains(mode) {
        modes.insert(mode)
      } else {
        let known = BackgroundMode.known.map(\.rawValue).joined(separator: ", ")
        warnings.append("unknown background mode \"\(name)\" ignored; known ones are \(known)")
      }
    }
  }

  /// Creates the modes in a comma-separated list such as `audio,fetch`, as `init(names:)` does. Spaces around names are
  /// ignored. Both `none` alone and the empty list mean no modes.
  public init(list: String) {
    let names = list.split(separator: ",").map { name in
      String(name.drop(while: { $0 == " " }).reversed().drop(while: { $0 == " " }).reversed())
    }
    self.init(names: names == ["none"] ? [] : names.filter { !$0.isEmpty })
  }

  /// Returns whether `mode` is one of the modes.
  public func contains(_ mode: BackgroundMode) -> Bool { modes.contains(mode) }

  /// A comma-separated list of the names: first the known ones in the order of `BackgroundMode.known`, then
  /// the others. `none` if the set is empty.
  public var description: String {
    let names = BackgroundMode.known.filter(modes.contains).map(\.rawValue)
    let others = modes.subtracting(BackgroundMode.known).map(\.rawValue).sorted()
    return names.isEmpty && others.isEmpty ? "none" : (names + others).joined(separator: ",")
  }
}
