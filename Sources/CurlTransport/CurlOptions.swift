import Glibc
package import Transfer

/// Options of all transfers of a transport.
package struct CurlOptions: Sendable {
  /// The proxy, as libcurl writes it; nil: by the environment's variables.
  package var proxy: String?
  /// A file with certificate authorities that are trusted beside the system's.
  package var certificateFile: String?
  /// Whether `~/.netrc` is asked for credentials.
  package var usesNetrc = false
  /// Whether its sockets are the system's, as those of players are. A suspended application loses its own.
  package var hasSystemSockets = true
  /// Seconds after the last transfer for which connections and the thread are kept.
  package var idleTime = 60.0
  /// Requests within a second to one host.
  package var requestsPerSecond = NetworkLimits.requestsPerSecond
  /// Addresses of names that need no name server: `NAME:PORT:ADDRESS`, as libcurl writes it. For tests.
  package var names: [String] = []
  /// Whether a host is certain not to exist; false if no name server answered. May block.
  package var isUnknown: @Sendable (_ host: String) -> Bool = { CurlOptions.isUnknown($0) }
  /// The addresses of this machine, which a request for public addresses may not reach although they may be public; nil where the
  /// system does not tell: then it reaches none. Must not block.
  package var ownAddresses: @Sendable () -> Set<PeerAddress>? = { PeerAddress.ofThisMachine() }
  /// Reads a file that is sent.
  var readFile: BodyReader.Read = { pread($0, $1.baseAddress, $1.count, off_t($2)) }
  /// Names of the library to open, the first that there is.
  package var libraryNames = CurlLibrary.names

  /// The default options.
  package init() {}

  private static func isUnknown(_ host: String) -> Bool {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    let result = getaddrinfo(host, nil, &hints, &found)
    if let found { freeaddrinfo(found) }
    // -5, EAI_NODATA: the name exists and has no address.
    return result == EAI_NONAME || result == -5
  }
}
