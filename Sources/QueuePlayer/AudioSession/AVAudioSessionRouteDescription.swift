public import Foundation

/// Where sound goes.
public final class AVAudioSessionRouteDescription: NSObject, Sendable {
  /// Always empty.
  public let inputs: [AVAudioSessionPortDescription] = []
  /// The sink, or none before sound was first asked for and while there is none.
  public let outputs: [AVAudioSessionPortDescription]

  init(sink: String?) {
    outputs = sink.map { [AVAudioSessionPortDescription(sink: $0)] } ?? []
    super.init()
  }
}

/// An end of a route: a sink of the sound server, or a file.
public final class AVAudioSessionPortDescription: NSObject, Sendable {
  /// What kind of device it is, as far as the sink's name says so; `lineOut` if it does not.
  public let portType: AVAudioSession.Port
  /// The sink's name.
  public let portName: String
  /// The sink's name too: it is what the server tells sinks from each other by.
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
    /// The kind of that name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A line, or anything whose name says nothing else.
    public static let lineOut = Port(rawValue: "LineOut")
    /// Headphones. Not told: the server's sink is the same with and without them.
    public static let headphones = Port(rawValue: "Headphones")
    /// A Bluetooth device.
    public static let bluetoothA2DP = Port(rawValue: "BluetoothA2DPOutput")
    /// A screen.
    public static let HDMI = Port(rawValue: "HDMI")
    /// A USB device.
    public static let usbAudio = Port(rawValue: "USBAudio")

    /// PulseAudio and PipeWire name sinks by their bus: "bluez_output.…", "alsa_output.usb-…", "….hdmi-stereo".
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
