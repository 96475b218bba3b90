import Foundation
import HostTime

/// Where a device has its places from.
public struct LocationSource: Sendable {
  /// A source that begins now, by that clock; nil for none.
  let make: @Sendable (any HostClock) -> (any PlaceSource)?

  /// The device never knows where it is.
  public static let none = LocationSource { _ in nil }

  /// The device goes along a track from now on, and is somewhere else once a second of its way.
  ///
  /// In real time the first moment is called now, and the others are as far from it as they are on the way, also at another
  /// speed. In virtual time the moments are those of the track, or begin with 2001.
  ///
  /// - Parameters:
  ///   - track: the way.
  ///   - speed: seconds of the way in one second; at most 1000; what is not above 0 counts as 1.
  public static func travel(along track: LocationTrack, speed: Double = 1) -> LocationSource {
    let speed = speed > 0 ? min(speed, 1000) : 1
    return LocationSource { clock in
      let start =
        clock is SystemClock ? Date().timeIntervalSince1970 : track.track.startTime ?? LocationTrack.zero
      return Traveller(track.track, speed: speed, clock: clock, startTime: start)
    }
  }

  /// A receiver behind gpsd, by its JSON protocol. While it cannot be reached, is silent or does not know where it is, there
  /// are no places; the connection is made again by itself, after at most 5 s. Nothing is connected before the first
  /// manager wants a place, while nobody does, and in virtual time.
  public static func gpsd(host: String = "localhost", port: UInt16 = 2947) -> LocationSource {
    LocationSource { clock in
      guard let clock = clock as? SystemClock else { return nil }
      return GPSDClient(host: host, port: port, clock: clock)
    }
  }
}

extension LocationSource {
  /// The source that an option names: `gpsd`, `gpsd:HOST`, `gpsd:HOST:PORT` (an IPv6 address in brackets), or the path of a
  /// GPX file. A file whose name begins with `gpsd` is written `./gpsd…`. Blocks while a file is read.
  public init(option text: String, speed: Double = 1) throws(LocationTrackError) {
    guard text == "gpsd" || text.hasPrefix("gpsd:") else {
      self = .travel(along: try LocationTrack(gpx: URL(fileURLWithPath: text)), speed: speed)
      return
    }
    var host = text.dropFirst(5)
    var port: UInt16 = 2947
    let isBracketed = host.hasPrefix("[")
    // The colons of an address in brackets are its own.
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
