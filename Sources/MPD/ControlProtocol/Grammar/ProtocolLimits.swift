/// The limits of the protocol, taken from mpd or a common client where they have one.
package enum ProtocolLimits {
  /// The greeting. Clients read the version of the protocol, not of the program, from it: ncmpcpp refuses a
  /// minor number below 16, and mpc warns below 0.21. Version 0.24 would promise commands that do not exist
  /// here.
  package static let greeting = "OK MPD 0.23.5\n"

  /// The maximum length of a request line in bytes, including its newline. A longer line closes the
  /// connection without a reply, since the start of the next request is unknown. mpd's limit; libmpdclient
  /// sends at most 4096.
  package static let requestLine = 8192

  /// The maximum number of arguments of a request. mpd's limit, enough for a name-value pair of each tag type.
  package static let arguments = 63

  /// The maximum number of bytes, including newlines, between `command_list_begin` and `command_list_end`.
  /// mpd's default, enough for about 40,000 `add` commands. A longer list closes the connection without a
  /// reply.
  package static let commandList = 2 * 1024 * 1024

  /// The number of waiting input bytes above which further input closes the connection. A server that honours
  /// `ConnectionMachine.wantsInput` stays far below.
  package static let backlog = 256 * 1024

  /// The maximum number of lines and answer pieces of one client that are processed before other clients' turns. A
  /// command list may have 400,000 lines. At a few microseconds each, parsing 64 lines takes less than a
  /// millisecond.
  package static let linesPerTurn = 64

  /// The maximum nesting depth of parentheses in a filter. Programs use three or four; mpd 0.23.12 has no
  /// limit and crashes at 7000.
  package static let filterDepth = 64

  /// The maximum number of conditions in a filter: about twice the number of name-value pairs that fit into a
  /// request. A condition may test every tag of every song: 0.3 s for the maximum on 10,000 songs.
  package static let filterConditions = 64

  /// The maximum length of a value in a filter expression, in bytes. mpd's limit.
  package static let filterValue = 4095

  /// The maximum length of a reply line in bytes, including its newline. libmpdclient has a buffer of 4096
  /// bytes and disconnects on a longer line. Data that clients need in full (binary data) is not sent in
  /// lines.
  package static let replyLine = 4095

  /// The minimum of `binarylimit`, in bytes. mpd's limit.
  static let smallestBinaryChunk = 64

  /// The default size of a binary chunk, in bytes. mpd's default.
  static let defaultBinaryChunk = 8192

  /// The maximum of `binarylimit`, in bytes: mpd's output limit of 8 MiB less 4 KiB for the lines around the
  /// chunk.
  static let largestBinaryChunk = 8 * 1024 * 1024 - 4096

  /// The minimum interval of `watch time`, in seconds. Ten times finer than the 1/100 s that people can see;
  /// shorter intervals would make a watcher too expensive.
  static let shortestWatchInterval = 0.001

  /// The maximum interval of `watch time`, in seconds: one hour. A longer interval is a typing error.
  static let longestWatchInterval = 3600.0

  /// The maximum time of `sleep`, in seconds: one day. A longer time is a typing error.
  package static let longestSleep = 86_400.0
}
