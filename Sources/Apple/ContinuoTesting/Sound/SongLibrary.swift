import AudioCore
import Foundation
import Synchronization

/// The media of a test device, keyed by file URL. Other file URLs are real files.
final class SongLibrary: Sendable {
  private let state = Mutex((names: [String](), sources: [URL: any MediaSource]()))
  private let isHeard: Bool

  /// If `isHeard` is false, the output is not evaluated, so media have the right length but arbitrary
  /// samples.
  init(isHeard: Bool = true) { self.isHeard = isHeard }

  /// Adds a song and returns it. Decoding fails at frame `breaksAt`, if any. A name must be used only once.
  func add(_ name: String, frames: Int64, sampleRate: Int, breaksAt: Int64?) -> Song {
    let url = Self.url(name)
    let number = addRemote(name, frames: frames)
    state.withLock { state in
      state.sources[url] = MarkedSource(
        number: number, frames: frames, sampleRate: sampleRate, breaksAt: breaksAt, isHeard: isHeard)
    }
    return Song(name: name, url: url, frameCount: frames, sampleRate: sampleRate)
  }

  /// Adds a song without a URL in this library, and returns the song's number. `frames` is nil for a song
  /// without an end.
  func addRemote(_ name: String, frames: Int64?) -> Int {
    precondition((0...Mark.frameLimit).contains(frames ?? 0), "a song is too long, or shorter than nothing")
    return state.withLock { state in
      precondition(!state.names.contains(name), "there is a song \"\(name)\" already")
      precondition(state.names.count < Mark.songLimit, "a test device has room for \(Mark.songLimit) songs")
      state.names.append(name)
      return state.names.count
    }
  }

  func addBroken(_ name: String, error: DecodingError) -> URL {
    let url = Self.url(name)
    state.withLock { $0.sources[url] = UnplayableSource(error: error) }
    return url
  }

  func source(at url: URL) -> (any MediaSource)? { state.withLock { $0.sources[url] } }

  /// The songs' names, ordered by number. Numbers begin at 1.
  var names: [String] { state.withLock { $0.names } }

  private static func url(_ name: String) -> URL { URL(fileURLWithPath: "/test-device/\(name).mp3") }
}
