/// The limits of what comes from the network. Each is there because a server may send anything.
package enum NetworkLimits {
  /// Bytes of a URL: what common servers take.
  package static let url = 8_191
  /// Bytes of one header line. libcurl itself stops at 100 KiB.
  package static let headerLine = 64 * 1024
  /// Bytes of a response's head in all.
  package static let head = 256 * 1024
  /// Bytes of the trailers of a chunked body: of the few that are in use each has some 100 bytes.
  package static let trailers = 64 * 1024
  /// Bytes that are none of the body: heads of interim answers and of proxies, sizes and extensions of chunks, what an encoding has
  /// besides. More than a head, and than libcurl reads at once. Each byte of the body excuses some: a chunk of one byte has five others,
  /// and maybe an extension.
  package static let besideBody = 512 * 1024
  package static let besideBodyByte = 64
  /// Redirects that are followed for one request.
  package static let redirects = 10
  /// Connections to one host, and to all hosts.
  package static let connectionsPerHost = 6
  package static let connections = 32
  /// Transfers that have begun and not ended.
  package static let transfers = 10_000
  /// Stored bytes that are asked for again and compared when a transfer goes on.
  package static let overlap: Int64 = 4 * 1024
  /// The same for bytes that another process stored, maybe long ago.
  package static let overlapAfterRestart: Int64 = 64 * 1024
  /// The least that is compared, and the number of connections in a row that must have brought too little for the usual: a
  /// connection that brings anything brings a segment, which has 536 bytes or more (RFC 9293, 3.7.1).
  package static let leastOverlap: Int64 = 256
  package static let tinyConnections = 3
  /// Bytes, and seconds, after which the length of what is on the disk is recorded.
  package static let recordEvery: Int64 = 8 << 20
  package static let recordInterval = 10.0
  /// Bytes of the record of a download: what is in it comes from the server.
  package static let record = 256 * 1024
  /// How often a file may change on the server while it is downloaded.
  package static let versions = 10
  /// How far ahead a running transfer may be waited for instead of asking for another place.
  package static let waitAhead: Int64 = 256 * 1024
  /// Bytes of a tag at the beginning that are waited for instead of asking for what is behind it.
  package static let tagSkip: Int64 = 64 * 1024
  /// How far ahead is read, and what must be left before reading goes on.
  package static let readAhead: Int64 = 64 << 20
  package static let readOn: Int64 = 48 << 20
  /// How far a server without ranges may be read through to get to a place.
  package static let skipWithoutRanges: Int64 = 64 << 20
  /// New bytes that make a lost connection a good one: the next one begins at once.
  package static let goodConnection: Int64 = 16 * 1024
  /// Audio bytes between two ICY metadata blocks.
  package static let metadataInterval = 1...1_000_000
  /// Bytes of an ICY metadata block: its length is one byte, in units of 16.
  package static let metadataBlock = 4_080
  /// ICY metadata blocks in a row that may be no text before the stream is opened without them.
  package static let brokenBlocks = 3
  /// Ranges of stored bytes of one medium.
  package static let intervals = 1_024
  /// Bytes of all stores together.
  package static let allStores: Int64 = 1 << 30
  /// Bytes kept ahead of and behind the place where there is no disk.
  package static let memoryAhead: Int64 = 4 << 20
  package static let memoryBehind: Int64 = 1 << 20
  /// Bytes, entries and depth of a playlist from the network.
  package static let playlist = 1 << 20
  package static let playlistEntries = 10_000
  package static let playlistDepth = 4
  /// Bytes and entries of a feed: the longest ones have every episode of many years with a text for each.
  package static let feed = 8 << 20
  package static let feedEntries = 2_000
  /// Requests, and seconds, in which a playlist is read with those that it names.
  package static let playlistRequests = 100
  package static let playlistTime = 15.0
  /// Playlists, one behind the other, that may stand for the medium at a URL: stations link to them.
  package static let playlistsForMedium = 2
  /// Playlists and pictures that are fetched at a time because clients have asked for them; and how many of them for clients
  /// other than the user's own, who is never locked out by others. Each takes three threads, a connection and a file.
  package static let clientRequests = 6
  package static let clientRequestsOfOthers = 4
  /// Requests within a second to one host.
  package static let requestsPerSecond = 10
  /// Seconds for a connection to be made, for the head to come, and for the next byte while bytes are wanted.
  package static let connectTimeout = 10.0
  package static let firstByteTimeout = 20.0
  package static let stallTimeout = 15.0
  /// Seconds without a new byte after which a dry medium is given up.
  package static let giveUp = 60.0
  /// The longest delay that a server may ask for with `Retry-After`, in seconds.
  package static let retryAfter = 60.0
  /// How many times an answer such as 404 is believed to be passing after the medium was there once.
  package static let refusalsAfterSuccess = 3
  /// Seconds that a paused live stream is kept connected.
  package static let livePause = 10.0
  /// Seconds of a live stream that are stored.
  package static let liveBuffer = 30.0
}
