/// A way in which an application may run in the background, with its name under `UIBackgroundModes` in a
/// property list.
public struct BackgroundMode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The name in the property list.
  public var rawValue: String

  /// The mode with this name, known or not.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Plays sound in the background.
  public static let audio = BackgroundMode(rawValue: "audio")
  /// Follows the device's location.
  public static let location = BackgroundMode(rawValue: "location")
  /// Makes phone calls over the network.
  public static let voip = BackgroundMode(rawValue: "voip")
  /// Is woken now and then to fetch new content.
  public static let fetch = BackgroundMode(rawValue: "fetch")
  /// Is woken for long work while the machine is idle.
  public static let processing = BackgroundMode(rawValue: "processing")
  /// Is woken by messages from a server.
  public static let remoteNotification = BackgroundMode(rawValue: "remote-notification")
  /// Communicates with an attached accessory.
  public static let externalAccessory = BackgroundMode(rawValue: "external-accessory")
  /// Communicates with Bluetooth accessories.
  public static let bluetoothCentral = BackgroundMode(rawValue: "bluetooth-central")
  /// Acts as a Bluetooth accessory.
  public static let bluetoothPeripheral = BackgroundMode(rawValue: "bluetooth-peripheral")

  /// The modes that are known here, in the order in which they are shown to a person.
  public static let known: [BackgroundMode] = [
    .audio, .fetch, .processing, .location, .voip, .remoteNotification, .externalAccessory,
    .bluetoothCentral,
    .bluetoothPeripheral,
  ]

  /// `rawValue`.
  public var description: String { rawValue }
}

/// The background modes of an application.
public struct BackgroundModes: Hashable, Sendable, CustomStringConvertible {
  /// The modes. Names that are not known were left out when they were read.
  public private(set) var modes: Set<BackgroundMode>
  /// A sentence for each unknown name that was left out, in their order.
  public private(set) var warnings: [String]

  /// Exactly these modes. Unknown ones are kept and not warned about.
  public init(_ modes: Set<BackgroundMode> = []) {
    self.modes = modes
    warnings = []
  }

  /// The modes with these names, as in a property list. Names are case-sensitive, as on Apple's systems. An
  /// unknown name is left out and adds to `warnings`, so that a typing error does not look like a missing
  /// mode.
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

  /// The modes in a list like `audio,fetch`. Spaces around the names are ignored. `none` alone and the empty
  /// list both mean no modes.
  public init(list: String) {
    let names = list.split(separator: ",").map { name in
      String(name.drop(while: { $0 == " " }).reversed().drop(while: { $0 == " " }).reversed())
    }
    self.init(names: names == ["none"] ? [] : names.filter { !$0.isEmpty })
  }

  /// Whether `mode` is one of the modes.
  public func contains(_ mode: BackgroundMode) -> Bool { modes.contains(mode) }

  /// The names in a list that `init(list:)` reads, in the order of `BackgroundMode.known`; `none` if there
  /// are none.
  public var description: String {
    let names = BackgroundMode.known.filter(modes.contains).map(\.rawValue)
    let others = modes.subtracting(BackgroundMode.known).map(\.rawValue).sorted()
    return names.isEmpty && others.isEmpty ? "none" : (names + others).joined(separator: ",")
  }
}
