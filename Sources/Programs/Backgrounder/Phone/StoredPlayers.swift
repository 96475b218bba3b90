import Continuo
import Foundation

/// The players of a terminated application, in a file that its phone keeps for the next launch.
struct StoredPlayers: Sendable {
  /// The descriptor of the file, which has no name.
  let descriptor: Int32

  /// Returns the players that were written last, and empties the file. Returns none if the file cannot be read.
  func take() -> [PlayerSnapshot] {
    let file = FileHandle(fileDescriptor: descriptor)
    defer { try? file.truncate(atOffset: 0) }
    guard (try? file.seek(toOffset: 0)) != nil, let data = try? file.readToEnd() else { return [] }
    return (try? JSONDecoder().decode([PlayerSnapshot].self, from: data)) ?? []
  }

  func write(_ players: [PlayerSnapshot]) {
    guard let data = try? JSONEncoder().encode(players) else { return }
    let file = FileHandle(fileDescriptor: descriptor)
    try? file.seek(toOffset: 0)
    try? file.write(contentsOf: data)
    try? file.truncate(atOffset: UInt64(data.count))
  }
}
