import Glibc
import SystemSupport
package import Transfer

package struct CurlOptions: Sendable {
  /// The proxy in libcurl's notation; nil for the one in the environment variables.
  package var proxy: String?
  /// The path of a file with certificate authorities, which replaces libcurl's default file; nil for the default. The
  /// authorities in libcurl's default folder stay trusted.
  package var certificateFile: String?
  package var usesNetrc = false
  /// Whether the sockets belong to the system, as those of players do. A suspended application loses its own
  /// sockets.
  package var hasSystemSockets = true
  /// Seconds after the last transfer for which the connections and the thread are kept.
  package var idleTime = 60.0
  /// The maximum numbers of concurrent transfers with one origin, and with all origins together.
  package var connectionsPerHost = NetworkLimits.connectionsPerHost
  package var connections = NetworkLimits.connections
  /// The maximum number of requests to one host within any second.
  package var requestsPerSecond = NetworkLimits.requestsPerSecond
  /// Fixed addresses of host names, in libcurl's notation `NAME:PORT:ADDRESS`. For tests.
  package var names: [String] = []
  /// Returns whether a host has no address, according to the name service; false if no name server answered.
  /// May block.
  package var isUnknown: @Sendable (_ host: String) -> Bool = { CurlOptions.isUnknown($0) }
  /// Returns the addresses of this machine; nil if the system does not report them. Requests with the reach
  /// `publicOnly` never connect to these addresses; with nil, they connect to no address. Must not block.
  package var ownAddresses: @Sendable () -> Set<PeerAddress>? = { PeerAddress.ofThisMachine() }
  /// Reads from a file that is sent as a request body.
  var readFile: BodyReader.Read = { pread($0, $1.baseAddress, $1.count, off_t($2)) }
  package var libraryNames = CurlLibrary.names

  package init() {}

  /// The options for the sessions of an application, each of which limits its connections to one host itself.
  package static var ofSessions: CurlOptions {
    var options = CurlOptions()
    options.connectionsPerHost = NetworkLimits.sessionConnections
    options.connections = NetworkLimits.sessionConnections
    return options
  }

  private static func isUnknown(_ host: String) -> Bool {
    do throws(HostAddress.LookupError) {
      _ = try HostAddress.all(of: host)
      return false
    } catch {
      return error.isUnknown
    }
  }
}
