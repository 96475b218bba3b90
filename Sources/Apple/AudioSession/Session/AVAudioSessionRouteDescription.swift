public import Foundation

/// The inputs and outputs of a route.
public final class AVAudioSessionRouteDescription: NSObject, Sendable {
  /// The inputs. Always empty, because no input exists.
  public let inputs: [AVAudioSessionPortDescription] = []
  /// The sink; empty before the output is first opened, and from the loss of the output's device until the
  /// output is opened again. While the connection to the server is lost, the last sink remains.
  public let outputs: [AVAudioSessionPortDescription]

  init(_ route: SessionRoute) {
    outputs =
      if let sink = route.sink, let port = route.port {
        [AVAudioSessionPortDescription(sink: sink, port)]
      } else {
        []
      }
    super.init()
  }
}

/// The destination of a session's sound, as a value.
struct SessionRoute: Hashable, Sendable {
  /// The sink's name; nil if none is known.
  var sink: String?
  /// Whether a phone uses its receiver instead of its speaker.
  var prefersReceiver = false

  /// The kind of device; nil without a sink. The simulated output represents a phone's own devices.
  var port: AVAudioSession.Port? {
    guard sink == "simulated" else { return sink.map(AVAudioSession.Port.init(sink:)) }
    return prefersReceiver ? .builtInReceiver : .builtInSpeaker
  }
}

/// A port of a route: a sink of the sound server, a file or the simulated output.
public final class AVAudioSessionPortDescription: NSObject, Sendable {
  /// The kind of device, derived from the sink's name; `lineOut` if the name does not indicate a kind. The simulated
  /// output is a phone's speaker or receiver, according to the session's category and options.
  public let portType: AVAudioSession.Port
  /// The sink's name.
  public let portName: String
  /// The sink's name, which identifies the sink on its server.
  public let uid: String

  init(sink: String, _ port: AVAudioSession.Port) {
    portType = port
    portName = sink
    uid = sink
    super.init()
  }
}

extension AVAudioSession {
  /// The kind of a device.
  public struct Port: RawRepresentable, Hashable, Sendable {
    /// Apple's name of the kind.
    public let rawValue: String
    /// Creates a kind from Apple's name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A line output, or any device whose name does not indicate its kind.
    public static let lineOut = Port(rawValue: "LineOut")
    /// A Bluetooth device.
    public static let bluetoothA2DP = Port(rawValue: "BluetoothA2DPOutput")
    /// A display connected by HDMI.
    public static let HDMI = Port(rawValue: "HDMIOutput")
    /// A USB device.
    public static let usbAudio = Port(rawValue: "USBAudio")

    /// The speaker of a phone: the simulated output.
    public static let builtInSpeaker = Port(rawValue: "Speaker")
    /// The receiver of a phone, held to the ear: the simulated output in the category `playAndRecord` without
    /// the option `defaultToSpeaker`.
    public static let builtInReceiver = Port(rawValue: "Receiver")

    // The other kinds are not reported: `init(sink:)` does not derive them, and no input exists.

    /// Headphones. Not reported, because the server's sink is the same with and without them.
    public static let headphones = Port(rawValue: "Headphones")
    /// A Bluetooth Low Energy device.
    public static let bluetoothLE = Port(rawValue: "BluetoothLE")
    /// A Bluetooth headset.
    public static let bluetoothHFP = Port(rawValue: "BluetoothHFP")
    /// An AirPlay device on the network.
    public static let airPlay = Port(rawValue: "AirPlay")
    /// A car's audio system.
    public static let carAudio = Port(rawValue: "CarAudio")
    /// A display connected by DisplayPort.
    public static let displayPort = Port(rawValue: "DisplayPort")
    /// A device connected by Thunderbolt.
    public static let thunderbolt = Port(rawValue: "Thunderbolt")
    /// An audio card on the PCI bus.
    public static let PCI = Port(rawValue: "PCI")
    /// A device connected by FireWire.
    public static let fireWire = Port(rawValue: "FireWire")
    /// An Audio Video Bridging device.
    public static let AVB = Port(rawValue: "AVB")
    /// A virtual device.
    public static let virtual = Port(rawValue: "Virtual")
    /// The microphone of a phone.
    public static let builtInMic = Port(rawValue: "MicrophoneBuiltIn")
    /// The microphone of a headset on a wire.
    public static let headsetMic = Port(rawValue: "MicrophoneWired")
    /// A line input.
    public static let lineIn = Port(rawValue: "LineIn")

    /// Derives the kind from a sink's name, which indicates the bus: "bluez_output.…", "alsa_output.usb-…",
    /// "….hdmi-stereo".
    init(sink: String) {
      self =
        switch sink {
        case _ where sink.hasPrefix("bluez"): .bluetoothA2DP
        case _ where sink.contains("hdmi"): .HDMI
        case _ where sink.hasPrefix("alsa_output.usb"): .usbAudio
        default: .lineOut
        }
    }
  }
}
