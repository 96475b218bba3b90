/// The limits of the server and of its clients. The default values are for production; tests use smaller
/// ones.
package struct ServerLimits: Sendable {
  /// The maximum number of clients: mpd's default. Each uses a descriptor, or two if it watches, and a process
  /// has 1024 by default.
  package var clients = 100
  /// The maximum number of clients from the network, so that they never lock out the machine's own user.
  package var networkClients = 80
  /// The maximum number of disconnected clients whose command is still in progress, beside as many connected clients as
  /// there may be. A command may take hours while a file system does not answer.
  package var departed = 200
  /// The TCP keep-alive parameters: idle time and interval in seconds, and the number of unanswered probes.
  /// The connection of a telephone that has left the network is closed after two minutes.
  package var keepAlive = (idle: 60, interval: 15, count: 4)
  /// The size of the kernel's send buffer for each network client, in bytes; the kernel doubles the number. Without
  /// this limit, the kernel would use up to 4 MB for a client that does not read. About the size of a Unix socket's
  /// buffer.
  package var networkBuffer = 128 * 1024
  /// The maximum number of unread reply bytes of a client; a client that exceeds it is closed. mpd's default.
  package var outputBytes = 8 * 1024 * 1024
  /// The number of unread bytes at which a client's next command waits. A client that pipelines commands with
  /// large replies gets all of them at its own speed. Larger than most replies, so that few clients wait.
  package var pauseBytes = 256 * 1024
  /// The maximum number of unread bytes of watch records for a client; further records are coalesced. Enough
  /// for ten seconds of 1/100 s steps; 13 MB for the maximum number of clients.
  package var watchBytes = 128 * 1024
  /// The time limit for a client's next line, in seconds. Does not apply while the client is idle, watches or waits
  /// for a reply. mpd's default.
  package var silence = 60.0
  /// The time in seconds within which a client with unread replies must read some of them. Does not apply to
  /// watchers.
  package var stall = 60.0
  /// The time in seconds without a record after which a watcher gets a heartbeat record.
  package var heartbeat = 10.0
  /// The time in seconds that the server waits at its end for commands in progress and for unread replies.
  package var ending = 2.0
  /// The time in seconds for which one client's commands run before other clients' turns. Enough for fifty
  /// commands or more, and too short to notice.
  package var turn = 0.001
  /// The maximum number of bytes read from a client at a time. Half the limit of a line; some 800 of the
  /// shortest commands.
  package var readBytes = 4096
  /// The maximum number of records that wait for the event loop; further ones are coalesced. Ten seconds of
  /// 1/100 s steps: longer than any command blocks the loop.
  package var broadcastRecords = 1024
  /// The maximum number of channels that a client may subscribe to: mpd's limit.
  package var subscriptions = 16
  /// The maximum number of unread messages of a client: mpd's limit. With the longest lines, 512 KiB.
  package var messages = 64

  /// The number of bytes at which a watcher's channel counts as full. NIO allocates memory for each write, so
  /// for each record; records above the mark are buffered in one piece instead. At most half of `watchBytes`: the
  /// channel must be full before records are coalesced, because they are sent when it becomes writable again.
  var watchMark: Int { max(1, min(16 * 1024, watchBytes / 2)) }

  package init() {}
}
