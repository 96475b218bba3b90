import Clocks
import Foundation

/// A source of a device's locations.
public struct LocationSource: Sendable {
  /// Creates the source on the given clock; a track begins at this call. Returns nil for `none`, and for gpsd in virtual
  /// time.
  let make: @Sendable (any HostClock) -> (any PlaceSource)?

  /// No source: the device finds no new location.
  public static let none = LocationSource { _ in nil }

  /// Moves the device along a track, from `DeviceLocation.setSource(_:)` on, with a new location for each second of the
  /// track. `speed` is the number of seconds of the track per second, at most 1000; values of 0 or less count as 1. In
  /// real time the first timestamp is the current time; the intervals are those of the track, regardless of the speed.
  /// In virtual time the timestamps are the track's, or begin in 2001.
  public static func travel(along track: LocationTrack, speed: Double = 1) -> LocationSource {
    let speed = speed > 0 ? min(speed, 1000) : 1
    return LocationSource { clock in
      let start =
        clock is SystemClock ? Date().timeIntervalSince1970 : track.track.startTime ?? LocationTrack.zero
      return Traveller(track.track, speed: speed, clock: clock, startTime: start)
    }
  }

  /// Reads locations from gpsd through its JSON protocol. The connection exists only while a manager wants
  /// locations, and never in virtual time; it is retried automatically, with delays of at most 5 s.
  public static func gpsd(host: String = "localhost", port: UInt16 = 2947) -> LocationSource {
    LocationSource { clock in
      guard let clock = clock as? SystemClock else { return nil }
      return GPSDClient(host: host, port: port, clock: clock)
    }
  }
}

extension LocationSource {
  /// Creates the source named by a command-line option: `gpsd`, `gpsd:HOST`, `gpsd:HOST:PORT` (an IPv6
  /// address in brackets), `freeway` for `LocationTrack.freewayDrive()`, or the path of a GPX file. Write
  /// `./gpsd…` or `./freeway` for a file with such a name. Blocks while a file is read.
  public init(option text: String, speed: Double = 1) throws(LocationTrackError) {
    if text == "freeway" {
      self = .travel(along: try .freewayDrive(), speed: speed)
      return
    }
    guard text == "gpsd" || text.hasPrefix("gpsd:") else {
      self = .travel(along: try LocationTrack(gpx: URL(fileURLWithPath: text)), speed: speed)
      return
    }
    var host = text.dropFirst(5)
    var port: UInt16 = 2947
    let isBracketed = host.hasPrefix("[")
    // Skip the colons of an address in brackets.
    let end = isBracketed ? host.firstIndex(of: "]") : host.startIndex
    guard let end else { throw LocationTrackError("\"\(text)\" lacks the bracket at the end of the address") }
    if let colon = host[end...].lastIndex(of: ":") {
      guard let number = UInt16(host[host.index(after: colon)...]), number > 0 else {
        throw LocationTrackError("\"\(text)\" is not gpsd:HOST:PORT with a port from 1 to 65535")
      }
      port = number
      host = host[..<colon]
    }
    if isBracketed {
      guard host.hasSuffix("]") else { throw LocationTrackError("\"\(text)\" is not gpsd:[ADDRESS]:PORT") }
      host = host.dropFirst().dropLast()
    }
    guard !host.contains(":") || isBracketed else {
      throw LocationTrackError("\"\(text)\" needs brackets around an IPv6 address")
    }
    self = .gpsd(host: host.isEmpty ? "localhost" : String(host), port: port)
  }
}
