import Foundation

/// The records that a watching client receives. They are parsed afterwards, so that a single thread can run
/// many clients.
final class WatchStream {
  let descriptor: Int32
  private let connection: ControlConnection
  private var bytes: [UInt8] = []
  /// The end of each piece that was read, as an index in `bytes`, and the time of reading.
  private var pieces: [(end: Int, time: Double)] = []
  private var scratch = [UInt8](repeating: 0, count: 64 * 1024)

  /// A record of a time step.
  struct Step {
    var song: Int
    var value: Int
    var timescale: Int
    /// The time of the step on the server and its arrival here, in CLOCK_MONOTONIC seconds.
    var host: Double
    var arrival: Double
  }

  /// The parsed records of a watch.
  struct Records {
    var steps: [Step] = []
    /// The number of steps that the server reports as left out.
    var coalesced = 0
    var other: [String] = []
  }

  /// Sends the command that starts the watch.
  init(_ connection: ControlConnection, seconds: Double) throws {
    self.connection = connection
    descriptor = connection.descriptor
    bytes.reserveCapacity(Int(seconds * 100 * 150))
    pieces.reserveCapacity(Int(seconds * 200))
    try connection.send(Array("watch time 0.01\n".utf8))
  }

  /// Reads once and records the time of arrival.
  func receive() throws {
    let count = recv(descriptor, &scratch, scratch.count, 0)
    let now = monotonicSeconds()
    guard count > 0 else {
      throw BenchError(count == 0 ? "the server closed a watcher's connection" : "a watcher hears nothing")
    }
    bytes += scratch[..<count]
    pieces.append((bytes.count, now))
  }

  func end() throws { try connection.send(Array("noidle\n".utf8)) }

  /// Whether the last line of the reply has arrived.
  var isEnded: Bool { bytes.suffix(4).elementsEqual("\nOK\n".utf8) || bytes.elementsEqual("OK\n".utf8) }

  /// Parses the records that have arrived.
  func records() throws -> Records {
    var records = Records()
    var fields: [String: Substring] = [:]
    var piece = 0
    var arrival = 0.0

    func finish() throws {
      guard let event = fields["event"] else { return }
      switch event {
      case "time":
        guard let song = fields["songid"].flatMap({ Int($0) }),
          let value = fields["value"].flatMap({ Int($0) }),
          let timescale = fields["timescale"].flatMap({ Int($0) }),
          let host = fields["host"].flatMap({ Double($0) })
        else { throw BenchError("a time record lacks a field: \(fields)") }
        records.steps.append(
          Step(song: song, value: value, timescale: timescale, host: host, arrival: arrival))
      case "coalesced": records.coalesced += fields["steps"].flatMap { Int($0) } ?? 0
      default: records.other.append(String(event))
      }
      fields.removeAll(keepingCapacity: true)
    }

    var start = 0
    while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
      let line = Substring(decoding: bytes[start..<end], as: UTF8.self)
      start = end + 1
      let colon = line.range(of: ": ")
      let name = colon.map { String(line[..<$0.lowerBound]) } ?? String(line)
      if name == "event" || colon == nil { try finish() }
      if let colon { fields[name] = line[colon.upperBound...] }
      while pieces[piece].end < start { piece += 1 }
      arrival = pieces[piece].time
    }
    try finish()
    return records
  }
}
