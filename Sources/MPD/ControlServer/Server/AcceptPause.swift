internal import NIOCore

/// Stops accepting for a second when the process has no descriptors left.
///
/// NIO's own back-off handler postpones the next read, but the failed connection is still pending. So the
/// loop finds the listening socket ready again immediately, and uses 100 % of a processor until a descriptor
/// is free. Seen with NIO 2.101.
final class AcceptPause: ChannelInboundHandler {
  typealias InboundIn = Any

  /// The length of the pause. Descriptors become free when clients leave, so a second's delay goes unnoticed.
  static let length = TimeAmount.seconds(1)

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // Any other error concerns one connection, which is closed already.
    guard error is IOError, let options = context.channel.syncOptions else { return }
    try? options.setOption(.autoRead, value: false)
    let channel = context.channel
    context.eventLoop.scheduleTask(in: Self.length) {
      try channel.syncOptions?.setOption(.autoRead, value: true)
    }
  }
}
