import ControlProtocol
import HostTime
import Jukebox
import MusicFiles
import TextFormatting

/// The lines that `continuo play` writes where no terminal is: one for each song and some about the playing, in the order
/// in which they were added.
///
/// A song's line is ready when its name is known, or with its file's name `patience` seconds after it was added. Lines
/// behind it wait for it.
struct SongLines {
  /// Seconds that a song's name may take: less than anybody notices, and far more than a file on a disk takes.
  static let patience = 0.05

  private enum Line {
    case song(SongID, place: String, fileName: String, due: HostTime, name: SongName?)
    case text(String)
  }

  private var lines: [Line] = []

  /// Adds the line of a song that became current at `now`. `place` says which it is of how many.
  mutating func add(_ song: QueuedSong, place: String, now: HostTime) {
    lines.append(
      .song(
        song.id, place: place, fileName: song.fileName, due: now.advanced(bySeconds: Self.patience), name: nil
      ))
  }

  /// Adds a line about the playing.
  mutating func add(_ text: String) { lines.append(.text(text)) }

  /// Notes what a song is called.
  mutating func note(_ name: SongName, of song: SongID) {
    for index in lines.indices {
      if case .song(song, let place, let fileName, let due, nil) = lines[index] {
        lines[index] = .song(song, place: place, fileName: fileName, due: due, name: name)
      }
    }
  }

  /// Takes the lines that are ready at `now`; all of them if that is nil. Text from files is fit for a terminal.
  mutating func take(now: HostTime?) -> [String] {
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
  /// What its file is called.
  var fileName: String { song.locator.fileName }
}

extension SongMetadata {
  /// What a person calls the song; nil without a title.
  var displayName: SongName? {
    let tags = tags
    func text(_ type: TagType) -> String? {
      tags.first { $0.type == type }.map { String(decoding: $0.value.bytes, as: UTF8.self) }
    }
    // What a playlist or a station calls it, where it has no title.
    return (text(.title) ?? text(.name)).map { SongName(artist: text(.artist), title: $0) }
  }
}
