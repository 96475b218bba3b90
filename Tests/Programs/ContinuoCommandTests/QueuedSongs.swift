import Jukebox

/// These files as they stand in a queue.
func queuedSongs(_ paths: String...) throws -> [QueuedSong] {
  var generator = SystemRandomNumberGenerator()
  var machine = JukeboxMachine(using: &generator)
  try machine.add(paths.map { Song(path: Array($0.utf8)) })
  return paths.indices.compactMap { machine.queue[position: $0] }
}
