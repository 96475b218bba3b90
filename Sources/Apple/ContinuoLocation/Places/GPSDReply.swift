import Foundation

/// A line received from gpsd, reduced to the content used here.
enum GPSDReply: Hashable, Sendable {
  /// The server's greeting, or its reply to `?VERSION`.
  case version
  case place(Place)
  case noFix
  /// No receiver is connected to gpsd.
  case noReceiver
  /// A receiver was disconnected; gpsd may have others.
  case receiverLost
  case other

  /// Parses a line; nil if it is not JSON with a class.
  init?(_ line: [UInt8]) {
    guard let report = try? JSONDecoder().decode(Report.self, from: Data(line)) else { return nil }
    switch report.kind {
    case "VERSION": self = .version
    case "TPV": self = report.place.map(GPSDReply.place) ?? (report.number(.mode) ?? 2 < 2 ? .noFix : .other)
    case "DEVICES": self = report.hasNoDevices ? .noReceiver : .other
    // A receiver that is present has the time of its activation in this field.
    case "DEVICE": self = report.number(.activated) == 0 ? .receiverLost : .other
    default: self = .other
    }
  }

  /// The fields of a report. All except the class are optional and may have another type in other classes.
  private struct Report: Decodable {
    enum Key: String, CodingKey {
      case kind = "class"
      case devices, activated
      case mode, time, lat, lon, alt, altMSL, altHAE, eph, epx, epy, epv, speed, eps, track, epd
    }

    let kind: String
    private let values: KeyedDecodingContainer<Key>

    init(from decoder: any Decoder) throws {
      values = try decoder.container(keyedBy: Key.self)
      kind = try values.decode(String.self, forKey: .kind)
    }

    func number(_ key: Key) -> Double? {
      (try? values.decode(Double.self, forKey: key)).flatMap { $0.isFinite ? $0 : nil }
    }

    /// Returns the number in a field; -1 if it is missing or negative.
    private func size(_ key: Key) -> Double { number(key).flatMap { $0 >= 0 ? $0 : nil } ?? -1 }

    /// The accuracy in metres if the receiver reports none.
    private static let usualAccuracy = 10.0

    var hasNoDevices: Bool {
      (try? values.nestedUnkeyedContainer(forKey: .devices)).map { $0.isAtEnd } ?? false
    }

    var place: Place? {
      // Mode 2: latitude and longitude. Mode 3: the altitude too.
      guard let mode = number(.mode), mode >= 2, let latitude = number(.lat), let longitude = number(.lon),
        Place.isValid(latitude: latitude, longitude: longitude),
        let time = (try? values.decode(String.self, forKey: .time)).flatMap(InternetTime.seconds)
      else { return nil }
      var place = Place(
        latitude: latitude, longitude: longitude, horizontalAccuracy: accuracy, speed: size(.speed),
        speedAccuracy: size(.eps), time: time)
      if mode >= 3 {
        place.altitude = number(.altMSL) ?? number(.alt)
        place.ellipsoidalAltitude = number(.altHAE)
        if place.altitude != nil || place.ellipsoidalAltitude != nil {
          place.verticalAccuracy = number(.epv) == nil ? Self.usualAccuracy : size(.epv)
        }
      }
      if let course = number(.track), (0...360).contains(course) {
        place.course = course == 360 ? 0 : course
        place.courseAccuracy = size(.epd)
      }
      return place
    }

    private var accuracy: Double {
      if size(.eph) > 0 { return size(.eph) }
      let (east, north) = (size(.epx), size(.epy))
      return east > 0 && north > 0 ? (east * east + north * north).squareRoot() : Self.usualAccuracy
    }
  }
}
