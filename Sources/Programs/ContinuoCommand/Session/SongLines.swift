import Clocks
import ControlProtocol
import Jukebox
import MusicFiles
import TextFormatting

/// The lines that `continuo play` writes without a status line, in the order of their addition: one for each
/// song, and some about playback. A song's line is ready when its name is known or, with the name of the
/// file, after `patience` seconds. Later lines wait for it.
struct SongLines {
  /// The time limit for a song's name, in seconds: not noticeable, and usually enough to read the song's
  /// tags.
  static let patience = 0.05

  private enum Line {
    case song(SongID, place: String, fileName: String, due: HostTime, name: SongName?)
    case text(String)
  }

  private var lines: [Line] = []

  var isEmpty: Bool { lines.isEmpty }

  /// Adds the line of a song that became current. `place` is its position in the queue, such as `2/4`.
  mutating func add(_ song: QueuedSong, place: String, now: HostTime) {
    lines.append(
      .song(
        song.id, place: place, fileName: song.fileName, due: now.advanced(bySeconds: Self.patience), name: nil
      ))
  }

  mutating func add(_ text: String) { lines.append(.text(text)) }

  /// Records a song's name. Returns whether a line was still waiting for it.
  @discardableResult
  mutating func note(_ name: SongName, of song: SongID) -> Bool {
    var isPending = false
    for index in lines.indices {
      if case .song(song, let place, let fileName, let due, nil) = lines[index] {
        lines[index] = .song(song, place: place, fileName: fileName, due: due, name: name)
        isPending = true
      }
    }
    return isPending
  }

  /// Removes and returns the lines that are ready at `now` (nil: all), with text from files sanitized.
  mutating func take(now: HostTime?) -> [String] {
    if lines.isEmpty { return [] }
    let ready = lines.prefix { line in
      guard case .song(_, _, _, let due, nil) = line, let now else { return true }
      return due <= now
    }
    lines.removeFirst(ready.count)
    return ready.map { line in
      switch line {
      case .song(_, let place, let fileName, _, let name):
        "\(place)  \(TerminalText.sanitized(name?.description ?? fileName))"
      case .text(let text): text
      }
    }
  }
}

extension QueuedSong {
  var fileName: String { song.locator.fileName }
}

extension SongMetadata {
  /// The name for display; nil if there is neither a tag `title` nor a tag `name`.
  var displayName: SongName? {
    let tags = tags
    func text(_ type: TagType) -> String? {
      tags.first { $0.type == type }.map { String(decoding: $0.value.bytes, as: UTF8.self) }
    }
    // A song without a title may have a name in a playlist or from a station.
    return (text(.title) ?? text(.name)).map { SongName(artist: text(.artist), title: $0) }
  }
}
