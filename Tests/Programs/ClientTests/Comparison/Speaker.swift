import Foundation
import PulseTestSupport
import TestSupport

/// Has the conversation with one server, and takes out of its answers what may differ: times and ids.
final class Speaker {
  private let path: String
  private var connection: ControlConnection
  /// Ids in the order in which the server told of them.
  private var ids: [Substring] = []

  init(_ path: String) throws {
    self.path = path
    connection = try ControlConnection(path)
  }

  /// Begins a part: an empty queue, standard modes, a new connection.
  func begin() throws {
    connection = try ControlConnection(path)
    ids = []
    for request in ["clear", "repeat 0", "random 0", "single 0", "consume 0", "setvol 100"] {
      _ = try connection.ask(request)
    }
  }

  /// What the server answers, normalised.
  func ask(_ request: String) throws -> [String] {
    try settle()
    var lines: [String] = []
    for line in try connection.ask(withIDs(request)) {
      // The two have written their playlists at different times.
      let isTimeOfPlaylist = lines.last?.hasPrefix("playlist: ") == true && line.hasPrefix("Last-Modified: ")
      lines.append(isTimeOfPlaylist ? "Last-Modified: …" : normalised(line))
    }
    if lines.last == "closed" { connection = try ControlConnection(path) }
    return lines
  }

  /// Asks again until the answer is another one, for ten seconds at most: sound moves, the song was opened. Neither is
  /// an event for clients.
  func ask(_ request: String, insteadOf answer: [String]) async throws -> [String] {
    var answer = answer
    for _ in 0..<100 {
      try await Task.sleep(for: .milliseconds(100))
      let next = try ask(request)
      if next != answer { return next }
      answer = next
    }
    return answer
  }

  /// Waits until the server knows every song: mpd has read them before, Continuo does so after they were added.
  private func settle() throws {
    while true {
      let songs = try connection.ask("playlistinfo")
      func count(_ name: String) -> Int { songs.count { $0.hasPrefix(name) } }
      if count("file: ") == count("Time: ") { return }
      _ = try connection.ask("idle playlist")
    }
  }

  private func withIDs(_ request: String) -> String {
    guard request.contains("@") else { return request }
    let pieces = request.split(separator: "@", omittingEmptySubsequences: false)
    return pieces.dropFirst().reduce(String(pieces[0])) { text, piece in
      let number = Int(piece.prefix { $0.isNumber }) ?? 0
      let id = ids.indices.contains(number - 1) ? ids[number - 1] : "888888"
      return text + id + piece.drop { $0.isNumber }
    }
  }

  private func normalised(_ line: String) -> String {
    guard let colon = line.range(of: ": ") else { return line }
    let (name, value) = (line[..<colon.lowerBound], line[colon.upperBound...])
    switch name {
    case "Id", "songid", "nextsongid":
      if !ids.contains(value) { ids.append(value) }
      return "\(name): @\((ids.firstIndex(of: value) ?? 0) + 1)"
    // Times, and what counts edits: reading tags is one here.
    case "elapsed", "time", "bitrate", "uptime", "playtime", "playlist", "db_update", "updating_db":
      return "\(name): …"
    // Whole seconds: mpd estimates and counts the encoder's padding, 56 ms here.
    case "duration": return "duration: \(value.prefix { $0 != "." })"
    // mpd's decoder makes integers of 24 bits, Continuo's floating-point numbers.
    case "Format", "audio":
      return "\(name): "
        + value.split(separator: ":").map { ["24", "f"].contains($0) ? "…" : $0 }.joined(separator: ":")
    default: return line
    }
  }
}
