/// A way in which an application may go on in the background, by the name that `UIBackgroundModes` in a property
/// list has for it.
public struct BackgroundMode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The name as the property list has it.
  public var rawValue: String

  /// The mode of this name, whether it is a known one or not.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Plays sound in the background.
  public static let audio = BackgroundMode(rawValue: "audio")
  /// Follows the position.
  public static let location = BackgroundMode(rawValue: "location")
  /// Telephones over the network.
  public static let voip = BackgroundMode(rawValue: "voip")
  /// Is woken now and then to fetch a little.
  public static let fetch = BackgroundMode(rawValue: "fetch")
  /// Is woken for long work while the machine is idle.
  public static let processing = BackgroundMode(rawValue: "processing")
  /// Is woken by messages from a server.
  public static let remoteNotification = BackgroundMode(rawValue: "remote-notification")
  /// Talks to an accessory on a cable.
  public static let externalAccessory = BackgroundMode(rawValue: "external-accessory")
  /// Talks to Bluetooth accessories.
  public static let bluetoothCentral = BackgroundMode(rawValue: "bluetooth-central")
  /// Is a Bluetooth accessory.
  public static let bluetoothPeripheral = BackgroundMode(rawValue: "bluetooth-peripheral")

  /// The modes that have a name here, in the order in which a person should read them.
  public static let known: [BackgroundMode] = [
    .audio, .fetch, .processing, .location, .voip, .remoteNotification, .externalAccessory, .bluetoothCentral,
    .bluetoothPeripheral,
  ]

  /// The name.
  public var description: String { rawValue }
}

/// The background modes of an application: its entitlement.
public struct BackgroundModes: Hashable, Sendable, CustomStringConvertible {
  /// The modes, known ones only.
  public private(set) var modes: Set<BackgroundMode>
  /// One sentence for each name that was not understood and is therefore without effect, in the order they came.
  public private(set) var warnings: [String]

  /// Exactly these modes, without a word about unknown ones.
  public init(_ modes: Set<BackgroundMode> = []) {
    self.modes = modes
    warnings = []
  }

  /// The modes of these names, as a property list has them. Names are compared letter by letter, as the system
  /// does. An unknown name is left out and warned of: a typing error must not look like a missing entitlement.
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

  /// The modes in a list like `audio,fetch`, with spaces allowed around the names. `none` alone and the empty list
  /// mean none at all.
  public init(list: String) {
    let names = list.split(separator: ",").map { name in
      String(name.drop(while: { $0 == " " }).reversed().drop(while: { $0 == " " }).reversed())
    }
    self.init(names: names == ["none"] ? [] : names.filter { !$0.isEmpty })
  }

  /// Whether the application has that mode.
  public func contains(_ mode: BackgroundMode) -> Bool { modes.contains(mode) }

  /// The names in a list that `init(list:)` reads, in the order of `BackgroundMode.known`; `none` without any.
  public var description: String {
    let names = BackgroundMode.known.filter(modes.contains).map(\.rawValue)
    let others = modes.subtracting(BackgroundMode.known).map(\.rawValue).sorted()
    return names.isEmpty && others.isEmpty ? "none" : (names + others).joined(separator: ",")
  }
}
