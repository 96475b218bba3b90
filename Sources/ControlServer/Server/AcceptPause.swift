internal import NIOCore

/// Stops accepting for a while when the process has no descriptors left.
///
/// NIO's own back-off handler puts the next read off, but the one that failed is still pending, so that the loop finds
/// the listening socket ready again at once: 100 % of a processor until a descriptor is free. Seen with NIO 2.101.
final class AcceptPause: ChannelInboundHandler {
  typealias InboundIn = Any

  /// How long. Descriptors come back when clients leave; nobody notices a second then.
  static let length = TimeAmount.seconds(1)

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // Everything else that is caught here concerns one connection, which is closed already.
    guard error is IOError, let options = context.channel.syncOptions else { return }
    try? options.setOption(.autoRead, value: false)
    let channel = context.channel
    context.eventLoop.scheduleTask(in: Self.length) {
      try channel.syncOptions?.setOption(.autoRead, value: true)
    }
  }
}
