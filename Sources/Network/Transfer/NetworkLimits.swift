/// Limits for transfers and for data from the network. A server may send anything.
package enum NetworkLimits {
  /// Bytes of a URL, as limited by common servers.
  package static let url = 8_191
  /// Bytes of one header line. libcurl itself stops at 100 KiB.
  package static let headerLine = 64 * 1024
  /// Bytes of all response heads to one request, including interim responses and answered challenges.
  package static let head = 256 * 1024
  /// Bytes of the trailers of a chunked body. Each of the few trailers in use has about 100 bytes.
  package static let trailers = 64 * 1024
  /// Bytes outside the body: heads and trailers, chunk sizes and extensions, and the overhead of an encoding.
  /// The limit is above that of a head, and above the bytes that libcurl reads at once. Each body byte allows
  /// `besideBodyByte` more, because a chunk of one byte has five framing bytes, and possibly an extension.
  package static let besideBody = 512 * 1024
  package static let besideBodyByte = 64
  /// Redirects that are followed for one request.
  package static let redirects = 10
  /// Connections to one origin (scheme, host and port), and to all origins.
  package static let connectionsPerHost = 6
  package static let connections = 32
  /// Connections of an application's sessions to all hosts. Each session limits those to one host itself.
  package static let sessionConnections = 256
  /// Transfers that have started and not ended.
  package static let transfers = 10_000
  /// Stored bytes that are requested again and compared when a transfer resumes.
  package static let overlap: Int64 = 4 * 1024
  /// The overlap for bytes that an earlier transfer stored, possibly in another process and long ago.
  package static let overlapAfterRestart: Int64 = 64 * 1024
  /// The smallest overlap, and the number of consecutive connections that must bring few bytes before the
  /// overlap is reduced. A connection that brings anything usually brings a full segment, of 536 bytes by
  /// default (RFC 9293, 3.7.1).
  package static let leastOverlap: Int64 = 256
  package static let tinyConnections = 3
  /// Bytes and seconds after which the length of the data on disk is recorded.
  package static let recordEvery: Int64 = 8 << 20
  package static let recordInterval = 10.0
  /// Bytes of a download's record, which contains header fields of the server.
  package static let record = 256 * 1024
  /// The number of times that a file may change on the server during its download.
  package static let versions = 10
  /// Bytes by which a wanted position may be ahead of a transfer in progress. If ranges work, a position further
  /// ahead is requested anew.
  static let waitAhead: Int64 = 256 * 1024
  /// The value of `waitAhead` for a transfer within the first `tagSkip` bytes of a medium, where a tag may be. Also
  /// the number of bytes in which `RemoteMedium.readTag` reads the tag.
  package static let tagSkip: Int64 = 64 * 1024
  /// Bytes ahead of the reader at which a transfer pauses, and at which it resumes.
  package static let readAhead: Int64 = 64 << 20
  package static let readOn: Int64 = 48 << 20
  /// The number of new bytes after which a lost connection is retried without back-off.
  package static let goodConnection: Int64 = 16 * 1024
  /// Audio bytes between two ICY metadata blocks.
  static let metadataInterval = 1...1_000_000
  /// Bytes of an ICY metadata block, whose length is stored in one byte, in units of 16.
  package static let metadataBlock = 4_080
  /// The number of consecutive unreadable ICY metadata blocks after which the stream is reconnected without
  /// metadata.
  package static let brokenBlocks = 3
  /// Ranges of stored bytes of one medium.
  package static let intervals = 1_024
  /// Bytes on the disk of all stores together.
  package static let allStores: Int64 = 1 << 30
  /// Bytes kept in memory ahead of and before the reader's position, for live streams and without a usable disk. A
  /// store short of disk space also keeps `memoryBehind` bytes before the position.
  package static let memoryAhead: Int64 = 4 << 20
  package static let memoryBehind: Int64 = 1 << 20
  /// Bytes, entries and nesting depth of a playlist from the network.
  package static let playlist = 1 << 20
  package static let playlistEntries = 10_000
  package static let playlistDepth = 4
  /// Bytes and entries of a feed. The longest feeds list every episode of many years, with a text for each.
  package static let feed = 8 << 20
  package static let feedEntries = 2_000
  /// The number of requests, and the time in seconds, to read a playlist with the playlists that it names.
  package static let playlistRequests = 100
  package static let playlistTime = 15.0
  /// Consecutive playlists that may lead to the medium at a URL, because stations link to playlists.
  package static let playlistsForMedium = 2
  /// The maximum number of concurrent fetches of playlists and pictures, for all clients and for clients
  /// other than the local user. The second is lower, so that others never lock out the local user. Each fetch
  /// takes up to three threads, a connection and a file.
  package static let clientRequests = 6
  package static let clientRequestsOfOthers = 4
  /// Requests per second to one host.
  package static let requestsPerSecond = 10
  /// Timeouts in seconds: for the connection, the head of the response, and the next wanted byte.
  package static let connectTimeout = 10.0
  static let firstByteTimeout = 20.0
  static let stallTimeout = 15.0
  /// Seconds without progress after which a medium fails while its reader waits for bytes.
  package static let giveUp = 60.0
  /// The maximum delay in seconds that `Retry-After` may cause. Longer delays are shortened to this value.
  package static let retryAfter = 60.0
  /// The number of responses such as 404, without a useful one in between, after which a previously available
  /// medium fails.
  static let refusalsAfterSuccess = 3
  /// Seconds for which a paused live stream stays connected.
  package static let livePause = 10.0
  /// Seconds of a live stream that are read ahead, as far as they fit into `memoryAhead`.
  package static let liveBuffer = 30.0
}
