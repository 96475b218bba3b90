/// Registers the connections over which an application receives phone calls.
public enum VoIPSocket {
  /// Registers a connected stream socket for the application of `Device.current`. The device watches it while
  /// the application is suspended: incoming data or the end of the connection resumes the application in the
  /// background for `LifecycleSettings.voipTime`. Data left unread does not wake the application a second
  /// time. A registered socket is never reclaimed. Requires the background mode `voip`.
  ///
  /// The counterpart on Apple's systems is the network service type VoIP. The registration belongs to the
  /// socket, not to the descriptor number: it ends when the socket is closed. The device's watch also ends
  /// when the application terminates.
  ///
  /// Any thread; does not block.
  ///
  /// - Parameter descriptor: a socket of the type SOCK_STREAM, still owned by the caller.
  /// - Returns: false, without any effect, without the mode, for a descriptor that is not such a socket, and
  ///   if the process has no descriptors left. The device records the reason.
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
