import Continuo
import Foundation

/// Plays the parts of an audiobook, and resumes at the last position after a restart.
@MainActor
final class Audiobook {
  /// A position in the book.
  struct Bookmark: Codable {
    /// The index of the part.
    var part = 0
    var seconds = 0.0
  }

  let player: AVQueuePlayer
  private(set) var bookmark: Bookmark
  private let parts: [URL]
  private let file: URL
  private var timeObserver: Any?

  /// Creates a player of `parts` that stores its position in `file`, once a second.
  init(parts: [URL], file: URL) {
    let bookmark = (try? JSONDecoder().decode(Bookmark.self, from: Data(contentsOf: file))) ?? Bookmark()
    self.bookmark = bookmark
    self.parts = parts
    self.file = file
    player = AVQueuePlayer(items: parts.dropFirst(bookmark.part).map { AVPlayerItem(url: $0) })
    player.seek(to: CMTime(seconds: bookmark.seconds, preferredTimescale: 1000))
    timeObserver = player.addPeriodicTimeObserver(
      forInterval: CMTime(value: 1, timescale: 1), queue: .main
    ) { [weak self] time in
      MainActor.assumeIsolated { self?.store(time) }
    }
  }

  isolated deinit {
    if let timeObserver { player.removeTimeObserver(timeObserver) }
  }

  private func store(_ time: CMTime) {
    guard let asset = player.currentItem?.asset as? AVURLAsset, let part = parts.firstIndex(of: asset.url)
    else { return }
    bookmark = Bookmark(part: part, seconds: time.seconds)
    do {
      // Atomically: a power cut leaves the previous bookmark.
      try JSONEncoder().encode(bookmark).write(to: file, options: .atomic)
    } catch {
      print("cannot store the position in \(file.path): \(error)")
    }
  }
}
