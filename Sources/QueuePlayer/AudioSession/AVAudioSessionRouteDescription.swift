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
    /// Headphones. Not reported: the server's sink is the same with and without them.
    public static let headphones = Port(rawValue: "Headphones")
    /// A Bluetooth device.
    public static let bluetoothA2DP = Port(rawValue: "BluetoothA2DPOutput")
    /// A display connected by HDMI.
    public static let HDMI = Port(rawValue: "HDMI")
    /// A USB device.
    public static let usbAudio = Port(rawValue: "USBAudio")

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
