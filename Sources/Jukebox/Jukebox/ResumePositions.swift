internal import SystemSupport

/// The positions at which long songs were left, by location, so that they resume there.
package struct ResumePositions: Sendable {
  /// The maximum number of positions. A further position replaces the oldest one.
  package static let limit = 1000
  /// The length of the margins at the beginning and the end of a song, in seconds. A song that was left in the
  /// first margin counts as not begun; in the last margin, as heard to its end.
  static let margin = 10.0

  /// The duration in seconds above which songs resume; nil if no song resumes.
  package var threshold: Double?
  /// Increases with each change of a position.
  package private(set) var edition = 0
  private var positions: [SongLocator: (seconds: Double, age: Int)] = [:]

  package init() {}

  /// The positions in seconds, the newest first.
  package var all: [(locator: SongLocator, seconds: Double)] {
    positions.sorted { $0.value.age > $1.value.age }.map { ($0.key, $0.value.seconds) }
  }

  /// Returns the position at which a song starts, in seconds; 0 if none is recorded, if no song resumes, and
  /// for a part of a song.
  func start(of song: Song) -> Double {
    guard threshold != nil, song.range == nil else { return 0 }
    return positions[song.locator]?.seconds ?? 0
  }

  /// Records the position at which a song was left, or removes the song's position if this one is in a margin. Has no
  /// effect on a part of a song, or if the duration is unknown or not above `threshold`. All times are in seconds.
  mutating func note(_ song: Song, leftAt seconds: Double, duration: Double?) {
    guard let threshold, song.range == nil, let duration, duration > threshold, seconds.isFinite else {
      return
    }
    if seconds < Self.margin || seconds > duration - Self.margin {
      remove(song)
    } else {
      insert(song.locator, seconds)
    }
  }

  /// Removes the position of a song, for example because the song was heard to its end.
  mutating func remove(_ song: Song) {
    if positions.removeValue(forKey: song.locator) != nil { edition += 1 }
  }

  private mutating func insert(_ locator: SongLocator, _ seconds: Double) {
    edition += 1
    positions[locator] = (seconds, edition)
    guard positions.count > Self.limit, let oldest = positions.min(by: { $0.value.age < $1.value.age }) else {
      return
    }
    positions[oldest.key] = nil
  }
}

extension ResumePositions {
  /// The maximum size of a record in bytes: `limit` positions of songs with the longest locators.
  package static let maximumSize = limit * (SongLocator.maximumLength + 10) + 64

  /// Reads a record. Any bytes are allowed.
  ///
  /// - Throws: A `SavedStateError` if the bytes are not a valid record.
  package init(encoded bytes: [UInt8]) throws(SavedStateError) {
    var reader = try RecordReader(bytes, kind: .positions)
    let count = Int(try reader.read(UInt32.self))
    guard count <= Self.limit else { throw .invalid }
    for _ in 0..<count {
      let seconds = Double(bitPattern: try reader.read())
      guard seconds.isFinite, seconds >= 0 else { throw .invalid }
      insert(try reader.readLocator(), seconds)
    }
    try reader.finish()
  }

  package func encoded() -> [UInt8] {
    var writer = RecordWriter(kind: .positions, capacity: positions.count * 80 + 4)
    writer.write(UInt32(positions.count))
    // The oldest first, so that reading restores the order.
    for (locator, seconds) in all.reversed() {
      writer.write(seconds.bitPattern)
      writer.write(locator)
    }
    return writer.finished()
  }
}
