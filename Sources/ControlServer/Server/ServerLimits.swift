/// What a client may cost. The standard values are the server's; tests take smaller ones.
package struct ServerLimits: Sendable {
  /// Clients at a time: mpd's default. Each costs a descriptor, and a process has 1024 by default.
  package var clients = 100
  /// How many of them may come from the network: the machine's own user is never locked out by strangers.
  package var networkClients = 80
  /// Seconds of silence after which a client's machine is asked whether it is still there, seconds between further
  /// questions, and how many may stay unanswered: a telephone that left the house frees its place after two minutes.
  package var keepAlive = (idle: 60, interval: 15, count: 4)
  /// Bytes that the kernel is to hold for a client on the network that does not read; it doubles them. Of itself it
  /// would go up to 4 MB for each. About what a Unix socket has.
  package var networkBuffer = 128 * 1024
  /// Bytes of replies that wait for a client; one that lets more pile up is dropped. mpd's default.
  package var outputBytes = 8 * 1024 * 1024
  /// From here on a client's next command waits until it has read: a client that pipelines many large replies gets
  /// them all, at its own speed. Larger than most replies, so that an ordinary client never waits.
  package var pauseBytes = 256 * 1024
  /// Bytes of watch records that wait for a client; what comes after is coalesced. Ten seconds of 1/100 second, and
  /// 13 MB for as many clients as there may be.
  package var watchBytes = 128 * 1024
  /// Seconds a client may take for a line, unless it is idle or watching, or waits for a reply. mpd's default.
  package var silence = 60.0
  /// Seconds in which a client that replies wait for must have read some of them.
  package var stall = 60.0
  /// Seconds of silence after which a watcher is told that the server lives.
  package var heartbeat = 10.0
  /// Seconds the server waits at its end for commands under way and for clients that read their last reply.
  package var ending = 2.0
  /// Seconds in which one client's commands are performed in a row before the others have a turn: fifty commands and
  /// more, and less than a client notices.
  package var turn = 0.001
  /// Bytes read from a client at a time. Half a line's limit: with the shortest commands a few hundred.
  package var readBytes = 4096
  /// Records that wait for the event loop; what comes after is coalesced. Ten seconds of 1/100 second: longer than any
  /// command holds the loop.
  package var broadcastRecords = 1024
  /// Channels a client may subscribe to: mpd's limit.
  package var subscriptions = 16
  /// Messages that wait for a client that does not read them: mpd's limit. With the longest lines 512 KiB.
  package var messages = 64

  /// Where the channel of a watcher counts as full. NIO keeps each write, for each record one, in memory of its own:
  /// what is behind the mark waits in one piece instead. Below half of what a watcher may have, so that one that is
  /// coalesced hears when it has caught up.
  var watchMark: Int { max(1, min(16 * 1024, watchBytes / 2)) }

  /// The values above.
  package init() {}
}
