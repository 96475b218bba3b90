import ArgumentParser
import Clocks
import Continuo
import ControlProtocol
import Glibc
import MusicFiles
import RemoteMedia
import SystemSupport
import Transfer

// The options of remote media.
extension PlayerOptions {
  /// Returns the network settings of these options and `requests`. Reads and checks the files that they name.
  func networkSettings(_ requests: RequestOptions) throws(SyntaxError) -> NetworkSettings {
    var settings = try requests.settings()
    settings.bufferDuration = buffer ?? 0
    let cache = try makeCache()
    settings.makeCache = { cache }
    return settings
  }

  /// The addresses that URLs of other users' clients may reach; nil allows no URLs.
  var reachOfOthers: NetworkReach? { network?.reach ?? (network == nil ? .publicOnly : nil) }

  private func makeCache() throws(SyntaxError) -> MediaCache {
    let limit = cacheSize.map { Int64($0) } ?? NetworkLimits.allStores
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

  @Sendable static func byteCount(_ text: String) throws(SyntaxError) -> Int {
    let shift = text.last.flatMap { ["K": 10, "M": 20, "G": 30][$0.uppercased()] }
    let digits = text.dropLast(shift == nil ? 0 : 1)
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits),
      number <= Int.max >> (shift ?? 0)
    else { throw SyntaxError("\"\(text)\" is not a size like 500M, 2G or a number of bytes") }
    let count = number << (shift ?? 0)
    guard count >= 1 << 20 else { throw SyntaxError("\(text) is below the minimum of 1M") }
    return count
  }
}

/// A value of `--network`.
enum OthersReach: String, ExpressibleByArgument, CaseIterable, Sendable {
  case none, `public`, all

  /// Both properties replace the argument parser's defaults, which look for conformances at run time.
  static var allValueStrings: [String] { allCases.map { $0.rawValue } }
  static var allValueDescriptions: [String: String] { [:] }

  var reach: NetworkReach? {
    switch self {
    case .none: nil
    case .public: .publicOnly
    case .all: .allForOthers
    }
  }
}
