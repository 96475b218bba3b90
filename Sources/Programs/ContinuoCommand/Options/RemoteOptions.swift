import ArgumentParser
import Continuo
import ControlProtocol
import Glibc
import HostTime
import MusicFiles
import RemoteMedia
import SystemSupport
import TextFormatting
import Transfer

/// Options for media from the network.
struct RemoteOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The cache for fetched bytes of songs in the queue. (default: $XDG_CACHE_HOME/continuo)",
      discussion: "none keeps a few MiB of each song in memory, and fetches the rest again when needed.",
      valueName: "directory|none"),
    completion: .directory)
  var cache: String?

  @Option(
    help: ArgumentHelp(
      "The maximum size of the cache, such as 500M or 2G. (default: 1G)", valueName: "size"),
    transform: ByteCount.init(parsing:))
  var cacheSize: ByteCount?

  @Option(
    help: ArgumentHelp(
      "The time to buffer ahead, at least 2 s. (default: up to 64 MiB)", valueName: "seconds"),
    transform: { try PositiveSeconds(parsing: $0, least: 2) })
  var buffer: PositiveSeconds?

  @Option(
    help: ArgumentHelp(
      "The addresses that other users' URLs may reach: none, public or all. (default: public)",
      discussion: "The URLs of your own clients may reach any address.", valueName: "none|public|all"))
  var network: OthersReach?

  mutating func validate() throws {
    if cache == "" { throw ValidationError("--cache has an empty value.") }
    if cache == "none", cacheSize != nil {
      throw ValidationError(contradiction: "--cache none", "--cache-size")
    }
  }

  /// What these options and those of requests say. Reads and looks at the files that they name.
  func settings(_ requests: RequestOptions) throws(SyntaxError) -> NetworkSettings {
    var settings = try requests.settings()
    settings.bufferDuration = buffer?.seconds ?? 0
    let cache = try makeCache()
    settings.makeCache = { cache }
    return settings
  }

  /// The same for a command, which ends if they cannot be used.
  func settingsOrExit(_ requests: RequestOptions) throws -> NetworkSettings {
    try RequestOptions.orExit { () throws(SyntaxError) in try settings(requests) }
  }

  /// The addresses that URLs of other users' clients may reach; nil allows no URLs.
  var reachOfOthers: NetworkReach? { network?.reach ?? (network == nil ? .publicOnly : nil) }

  private func makeCache() throws(SyntaxError) -> MediaCache {
    let limit = cacheSize?.count ?? NetworkLimits.allStores
    guard let cache else { return MediaCache(limit: limit) }
    if cache == "none" { return MediaCache(folders: []) }
    let folder = RawArguments.bytes(of: cache).resolved(against: .workingDirectory())
    do throws(FileBytes.Problem) {
      if try FileStatus(of: folder).type == S_IFDIR {
        return MediaCache(folders: [folder.description], limit: limit)
      }
    } catch {
      throw SyntaxError("--cache \(cache): \(error)")
    }
    throw SyntaxError("--cache \(cache): not a directory")
  }
}

/// A value of `--cache-size`.
struct ByteCount: Hashable, Sendable {
  let count: Int64

  init(parsing text: String) throws(SyntaxError) {
    let shift = text.last.flatMap { ["K": 10, "M": 20, "G": 30][$0.uppercased()] }
    let digits = text.dropLast(shift == nil ? 0 : 1)
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(digits),
      number <= Int64.max >> (shift ?? 0)
    else { throw SyntaxError("\"\(text)\" is not a size like 500M, 2G or a number of bytes") }
    count = number << (shift ?? 0)
    guard count >= 1 << 20 else { throw SyntaxError("\(text) is too little: at least 1M") }
  }
}

/// A value of `--buffer` or `--network-timeout`.
struct PositiveSeconds: Hashable, Sendable {
  let seconds: Double

  init(parsing text: String, least: Double) throws(SyntaxError) {
    guard let time = TimeText.parse(text) else {
      throw SyntaxError("\"\(text)\" is not a time like 30, 2.5 or 3:00")
    }
    guard time.inSeconds >= least else {
      throw SyntaxError("\(text) is too little: at least \(Int(least)) s")
    }
    seconds = time.inSeconds
  }
}

/// A value of `--network`.
enum OthersReach: String, ExpressibleByArgument, CaseIterable, Sendable {
  case none, `public`, all

  /// The addresses that URLs may reach; nil allows no URLs.
  var reach: NetworkReach? {
    switch self {
    case .none: nil
    case .public: .publicOnly
    case .all: .allForOthers
    }
  }
}
