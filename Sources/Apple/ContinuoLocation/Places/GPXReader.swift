import XMLReading

/// Reads the points of a GPX file, version 1.0 or 1.1; see `LocationTrack.init(gpx:)`.
struct GPXReader: XMLHandler {
  private enum Kind: String, CaseIterable { case way = "wpt", track = "trkpt", route = "rtept" }

  private var points: [Kind: [Track.Point]] = [:]
  private var open: [String] = []
  private var kind: Kind?
  private var point = Track.Point(latitude: 0, longitude: 0)

  private init() {}

  static func track(in bytes: [UInt8]) throws(LocationTrackError) -> Track {
    let reader: GPXReader
    do throws(XMLProblem) { reader = try XMLReader.read(bytes, GPXReader()) } catch {
      throw LocationTrackError(error.description)
    }
    let kind = Kind.allCases.first { reader.points[$0] != nil } ?? .way
    return try Track(reader.points[kind] ?? [])
  }

  mutating func began(_ name: String, attributes: [String: String]) throws(XMLProblem) {
    let name = Self.local(name)
    guard !open.isEmpty || name == "gpx" else {
      throw XMLProblem(line: nil, reason: "the root is <\(name.prefix(40))> and not <gpx>")
    }
    open.append(name)
    guard kind == nil, let kind = Kind(rawValue: name) else { return }
    guard let latitude = attributes["lat"].flatMap(Self.number),
      let longitude = attributes["lon"].flatMap(Self.number)
    else { throw XMLProblem(line: nil, reason: "<\(name)> needs lat and lon, in degrees") }
    guard Place.isValid(latitude: latitude, longitude: longitude) else {
      throw XMLProblem(line: nil, reason: "there is no place at latitude \(latitude), longitude \(longitude)")
    }
    guard points[kind, default: []].count < Track.pointLimit else {
      throw XMLProblem(line: nil, reason: "more than \(Track.pointLimit) points")
    }
    self.kind = kind
    point = Track.Point(latitude: latitude, longitude: longitude)
  }

  mutating func ended(_ name: String, text: String) throws(XMLProblem) {
    let name = open.removeLast()
    guard let kind else { return }
    if name == kind.rawValue {
      points[kind, default: []].append(point)
      self.kind = nil
    } else if open.last == kind.rawValue {
      switch name {
      // An invalid elevation is ignored: some files have one, and only the altitude depends on it.
      case "ele": point.altitude = Self.number(text)
      case "time":
        guard let time = InternetTime.seconds(text) else {
          throw XMLProblem(line: nil, reason: "\"\(text.prefix(40))\" is no time like 2026-05-01T08:00:00Z")
        }
        point.time = time
      default: break
      }
    }
  }

  private static func local(_ name: String) -> String {
    name.split(separator: ":").last.map(String.init) ?? name
  }

  private static func number(_ text: String) -> Double? {
    let scalars = text.unicodeScalars.filter { !$0.properties.isWhitespace }
    return Double(String(String.UnicodeScalarView(scalars))).flatMap { $0.isFinite ? $0 : nil }
  }
}
