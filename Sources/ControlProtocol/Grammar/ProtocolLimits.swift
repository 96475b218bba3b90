/// The bounds of the protocol. Each is what a real server or a real client has, so that nobody meets another one here.
package enum ProtocolLimits {
  /// The greeting. Clients read the protocol version from it, not the program's: ncmpcpp refuses a minor number
  /// below 16, mpc warns below 0.21, and 0.24 would promise commands that are not here.
  package static let greeting = "OK MPD 0.23.5\n"

  /// The longest request line in bytes, with its newline. Longer: the connection is closed without a reply, since
  /// where the next request begins is no longer known. Mpd's own bound; libmpdclient cannot send more than 4096.
  package static let requestLine = 8192

  /// The most arguments a request may have. Mpd's own bound: room for a pair of every tag.
  package static let arguments = 63

  /// The most bytes, newlines included, between `command_list_begin` and `command_list_end`. Mpd's default; holds
  /// about 40,000 `add` commands. Beyond it the connection is closed without a reply.
  package static let commandList = 2 * 1024 * 1024

  /// The most input bytes that may wait in a connection while a command is being performed. A server that heeds
  /// `ConnectionMachine.wantsInput` stays far below; beyond it the connection is closed.
  package static let backlog = 256 * 1024

  /// The most lines of one client that are carried out before others have their turn: a command list may hold 400,000.
  /// At a few microseconds each no client waits a millisecond for another's.
  package static let linesPerTurn = 64

  /// How deep the parentheses of a filter may be nested. Programs nest three or four; mpd 0.23.12 has no bound and
  /// dies of 7000.
  package static let filterDepth = 64

  /// The most conditions of a filter. Twice as many as pairs of a name and a value fit into a request; each is tried on
  /// every tag of every song, which takes 0.3 s for all of them on ten thousand songs.
  package static let filterConditions = 64

  /// The most bytes of a value in a filter's expression; mpd's.
  package static let filterValue = 4095

  /// The longest reply line in bytes, with its newline. libmpdclient's buffer holds 4096 and it gives the connection
  /// up on a longer line. What a client needs in full (binary data) is not in lines.
  package static let replyLine = 4095

  /// The smallest `binarylimit` a client may ask for; mpd's.
  package static let smallestBinaryChunk = 64

  /// The size of a binary chunk until the client asks for another; mpd's default.
  package static let defaultBinaryChunk = 8192

  /// The largest `binarylimit`: mpd's output bound of 8 MiB less 4 KiB for the lines around the chunk.
  package static let largestBinaryChunk = 8 * 1024 * 1024 - 4096

  /// The shortest interval of `watch time`, in seconds: ten times finer than the 1/100 s a person can see move, and
  /// as much as one watcher should cost.
  package static let shortestWatchInterval = 0.001

  /// The longest interval of `watch time`, in seconds: an hour. Any longer is a typing mistake.
  package static let longestWatchInterval = 3600.0
}
