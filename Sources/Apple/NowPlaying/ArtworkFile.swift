import Foundation
import Synchronization

/// The temporary file that publishes the current item's artwork: one file at a time, in its own folder.
final class ArtworkFile: Sendable {
  private struct State {
    var folder: String?
    var path: String?
    var shown: UIImage?
    var count = 0
    var isClosed = false
  }
  private let state = Mutex(State())

  /// The folders to remove when the program exits.
  private static let folders = Mutex<[String]>([])

  deinit { remove() }

  /// Replaces the published picture, unless its data is the same. Returns the URL of its file; nil without a picture, after
  /// `remove`, or if the file cannot be written. Blocks on the file.
  func show(_ image: UIImage?) -> String? {
    state.withLock { state in
      if image === state.shown || image?.data == state.shown?.data { return state.path.map(Self.url) }
      if let path = state.path { unlink(path) }
      state.path = nil
      state.shown = nil
      guard let image, !image.data.isEmpty, !state.isClosed else { return nil }
      if state.folder == nil { state.folder = Self.makeFolder() }
      guard let folder = state.folder else { return nil }
      state.count += 1
      // A new name each time, because clients cache pictures by name.
      let path = "\(folder)/\(state.count).\(image.pngData() == nil ? "jpg" : "png")"
      guard (try? image.data.write(to: URL(fileURLWithPath: path))) != nil else { return nil }
      state.path = path
      state.shown = image
      return Self.url(path)
    }
  }

  /// Removes the file and its folder. Later pictures are not published.
  func remove() {
    let folder = state.withLock { state -> String? in
      defer { state = State(isClosed: true) }
      return state.folder
    }
    guard let folder else { return }
    try? FileManager.default.removeItem(atPath: folder)
    Self.folders.withLock { $0.removeAll { $0 == folder } }
  }

  private static func url(_ path: String) -> String { URL(fileURLWithPath: path).absoluteString }

  /// Creates a folder that only this user can access, in `XDG_RUNTIME_DIR` or else in the temporary folder.
  /// Returns its path; nil if neither is possible.
  private static func makeFolder() -> String? {
    let places = [ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"], NSTemporaryDirectory()]
    for place in places.compactMap({ $0 }) where !place.isEmpty {
      var template = Array("\(place)/continuo-artwork-XXXXXX".utf8CString)
      guard let made = mkdtemp(&template) else { continue }
      let folder = String(cString: made)
      folders.withLock { folders in
        if folders.isEmpty {
          atexit {
            for folder in ArtworkFile.folders.withLock({ $0 }) {
              try? FileManager.default.removeItem(atPath: folder)
            }
          }
        }
        folders.append(folder)
      }
      return folder
    }
    return nil
  }
}
