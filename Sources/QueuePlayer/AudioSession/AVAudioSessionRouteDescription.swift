public import Foundation

/// The route of the sound.
public final class AVAudioSessionRouteDescription: NSObject, Sendable {
  /// Empty: there is no input.
  public let inputs: [AVAudioSessionPortDescription] = []
  /// The sink; empty before the output is first opened and while there is no sink.
  public let outputs: [AVAudioSessionPortDescription]

  init(sink: String?) {
    outputs = sink.map { [AVAudioSessionPortDescription(sink: $0)] } ?? []
    super.init()
  }
}

/// A port of a route: a sink of the sound server, or a file.
public final class AVAudioSessionPortDescription: NSObject, Sendable {
  /// The kind of device, derived from the sink's name; `lineOut` if the name does not tell.
  public let portType: AVAudioSession.Port
  /// The sink's name.
  public let portName: String
  /// The sink's name, which identifies the sink on its server.
  public let uid: String

  init(sink: String) {
    portType = AVAudioSession.Port(sink: sink)
    portName = sink
    uid = sink
    super.init()
  }
}

extension AVAudioSession {
  /// A kind of device.
  public struct Port: RawRepresentable, Hashable, Sendable {
    /// Apple's name.
    public let rawValue: String
    /// The kind with that name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A line output, or any device whose name does not tell its kind.
    public static let lineOut = Port(rawValue: "LineOut")
    /// A Bluetooth device.
    public static let bluetoothA2DP = Port(rawValue: "BluetoothA2DPOutput")
    /// A display connected by HDMI.
    public static let HDMI = Port(rawValue: "HDMIOutput")
    /// A USB device.
    public static let usbAudio = Port(rawValue: "USBAudio")

    // The others are there for applications that compare with them. They are not reported: a sink's name does not tell
    // of them, and there is no input.

    /// Headphones: the server's sink is the same with and without them.
    public static let headphones = Port(rawValue: "Headphones")
    /// The speaker of a phone.
    public static let builtInSpeaker = Port(rawValue: "Speaker")
    /// The speaker that is held to the ear.
    public static let builtInReceiver = Port(rawValue: "Receiver")
    /// A device of Bluetooth Low Energy.
    public static let bluetoothLE = Port(rawValue: "BluetoothLE")
    /// A Bluetooth headset.
    public static let bluetoothHFP = Port(rawValue: "BluetoothHFP")
    /// A device on the network.
    public static let airPlay = Port(rawValue: "AirPlay")
    /// A car.
    public static let carAudio = Port(rawValue: "CarAudio")
    /// A display connected by DisplayPort.
    public static let displayPort = Port(rawValue: "DisplayPort")
    /// A device connected by Thunderbolt.
    public static let thunderbolt = Port(rawValue: "Thunderbolt")
    /// A card in the computer.
    public static let PCI = Port(rawValue: "PCI")
    /// A device connected by FireWire.
    public static let fireWire = Port(rawValue: "FireWire")
    /// A device of Audio Video Bridging.
    public static let AVB = Port(rawValue: "AVB")
    /// No device at all.
    public static let virtual = Port(rawValue: "Virtual")
    /// The microphone of a phone.
    public static let builtInMic = Port(rawValue: "MicrophoneBuiltIn")
    /// The microphone of a headset on a wire.
    public static let headsetMic = Port(rawValue: "MicrophoneWired")
    /// A line input.
    public static let lineIn = Port(rawValue: "LineIn")

    /// PulseAudio and PipeWire name sinks by their bus: "bluez_output.…", "alsa_output.usb-…",
    /// "….hdmi-stereo".
    init(sink: String) {
      self =
        if sink.hasPrefix("bluez") {
          .bluetoothA2DP
        } else if sink.contains("hdmi") {
          .HDMI
        } else if sink.hasPrefix("alsa_output.usb") {
          .usbAudio
        } else {
          .lineOut
        }
    }
  }
}
