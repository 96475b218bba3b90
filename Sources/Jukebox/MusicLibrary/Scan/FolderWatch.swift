internal import Dispatch
internal import Glibc
internal import MusicFiles
internal import Synchronization
internal import SystemSupport

/// Reports the folders in which music files, playlists or subfolders have changed, by inotify.
final class FolderWatch: Sendable {
  private struct State {
    /// The folders by watch descriptor; several if links lead to the same folder.
    var folders: [Int32: [[UInt8]]] = [:]
    var isFull = false
  }

  /// The maximum number of watched folders. Each takes a kilobyte of kernel memory, and its name in this
  /// process.
  private static let limit = 65_536
  private static let events =
    UInt32(IN_CREATE) | UInt32(IN_DELETE) | UInt32(IN_MOVED_FROM) | UInt32(IN_MOVED_TO)
    | UInt32(IN_CLOSE_WRITE) | UInt32(IN_ATTRIB) | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF)
    | UInt32(IN_ONLYDIR)

  private let home: MediaPath
  private let descriptor: Int32
  // Safe, because the constant source is only cancelled after `init`, which Dispatch allows on any thread.
  private nonisolated(unsafe) let source: any DispatchSourceRead
  private let state = Mutex(State())
  private let onFull: @Sendable (String) -> Void

  /// Starts inotify. Throws the error if the system refuses an instance. `onChange` runs on the watch's own queue, with a
  /// changed folder, or nil after an overflow. `onFull` is called at most once, with the reason why no more
  /// folders can be watched, on the thread that adds a folder.
  init(
    home: MediaPath, onChange: @escaping @Sendable ([UInt8]?) -> Void,
    onFull: @escaping @Sendable (String) -> Void
  ) throws(FileBytes.Problem) {
    descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard descriptor >= 0 else { throw .system(errno) }
    self.home = home
    self.onFull = onFull
    source = DispatchSource.makeReadSource(
      fileDescriptor: descriptor, queue: DispatchQueue(label: "continuo.watch", qos: .utility))
    source.setEventHandler { [weak self] in self?.read(onChange) }
    source.setCancelHandler { [descriptor] in close(descriptor) }
    source.activate()
  }

  deinit { source.cancel() }

  /// Starts watching a folder. Any thread.
  func add(_ folder: [UInt8]) {
    let reason: String? = state.withLock { state in
      guard !state.isFull else { return nil }
      guard state.folders.count < Self.limit else {
        state.isFull = true
        return "more than \(Self.limit) folders"
      }
      let path = folder.isEmpty ? home : home.appending(folder)
      do throws(FileBytes.Problem) {
        let watch = try path.systemCall { inotify_add_watch(descriptor, $0, Self.events) }
        let known = state.folders[watch] ?? []
        if !known.contains(folder) { state.folders[watch] = known + [folder] }
        return nil
      } catch {
        // A folder that has vanished or is inaccessible gets no watch.
        guard error == .system(ENOSPC) || error == .system(ENOMEM) else { return nil }
        state.isFull = true
        return error == .system(ENOSPC) ? "the limit fs.inotify.max_user_watches is reached" : "\(error)"
      }
    }
    if let reason { onFull(reason) }
  }

  private func read(_ onChange: (_ folder: [UInt8]?) -> Void) {
    // The buffer holds about a hundred events, each with this header and at most one name.
    let header = MemoryLayout<inotify_event>.size
    withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: MemoryLayout<inotify_event>.alignment) {
      buffer in
      while case let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count), count > 0 {
        var changed: Set<[UInt8]> = []
        var offset = 0
        while offset + header <= count {
          let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
          let name = buffer[(offset + header)..<(offset + header + Int(event.len))].prefix { $0 != 0 }
          offset += header + Int(event.len)
          if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { onChange(nil) }
          changed.formUnion(folders(event, Array(name)))
        }
        for folder in changed { onChange(folder) }
      }
    }
  }

  /// Returns the folders in which the event is a change. Blocks on the disk if the event may be about a link.
  private func folders(_ event: inotify_event, _ name: [UInt8]) -> [[UInt8]] {
    let folders = state.withLock { state -> [[UInt8]] in
      if event.mask & UInt32(IN_IGNORED) != 0 {
        state.folders[event.wd] = nil
        return []
      }
      return state.folders[event.wd] ?? []
    }
    guard let folder = folders.first, name.first != UInt8(ascii: ".") else { return [] }
    let file = MediaPath(bytes: name)
    if name.isEmpty || event.mask & UInt32(IN_ISDIR) != 0 || file.isSong || file.isPlaylist { return folders }
    // A link to a folder is not reported as a folder, and a removed one can no longer be examined.
    if event.mask & (UInt32(IN_DELETE) | UInt32(IN_MOVED_FROM)) != 0 { return folders }
    guard event.mask & (UInt32(IN_CREATE) | UInt32(IN_MOVED_TO)) != 0 else { return [] }
    let path = (folder.isEmpty ? home : home.appending(folder)).appending(name)
    return (try? FileStatus(ofLinkOrFile: path))?.type == S_IFLNK ? folders : []
  }
}
