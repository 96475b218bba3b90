/// The connections over which an application waits for phone calls.
public enum VoIPSocket {
  /// Has the device watch a connected stream socket while the application of `Device.current` is suspended: when data comes for
  /// it, or its connection ends, the application runs in the background for `LifecycleSettings.voipTime`. Data that the
  /// application leaves unread does not wake it a second time. Such a socket is never reclaimed. Needs the background mode
  /// `voip`.
  ///
  /// This is what a network service type of VoIP stands for on Apple's systems. The registration is one of the socket and
  /// not of its number: it ends when the socket is closed. The device's watch also ends with the application.
  ///
  /// Any thread; does not block.
  ///
  /// - Parameter descriptor: a socket of the type SOCK_STREAM, which remains the caller's.
  /// - Returns: false, without any effect, without the mode, for a descriptor that is no such socket, and if the process may
  ///   open no more descriptors; the reason is in the device's record.
  @discardableResult
  public static func register(_ descriptor: Int32) -> Bool {
    let device = Device.current
    guard device.modes.contains(.voip) else {
      device.refuseVoIPSocket(.voipNeedsMode)
      return false
    }
    guard device.part({ VoIPSockets(device: $0) }).register(descriptor) else {
      device.refuseVoIPSocket(.noVoIPSocket(descriptor))
      return false
    }
    return true
  }
}
