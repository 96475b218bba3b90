import Glibc
import TextFormatting

/// Something that was to be played and cannot be.
struct QueueProblem: Hashable, Sendable, CustomStringConvertible {
  /// The path or URL, for a person.
  var name: String
  /// The playlist that names it, and the line there.
  var origin: String?
  /// Why it cannot be played.
  var reason: String

  /// One line for a person.
  var description: String {
    TerminalText.sanitized((origin.map { "\($0): " } ?? "") + "\(name): \(reason)")
  }
}

/// Makes the queue out of what a person named: files, folders, playlists.
///
/// Nothing stops it: what cannot be used becomes a problem, and the rest is played. It never opens media, and nothing
/// that is not on this machine.
struct QueueBuilder {
  /// Bounds, so that a wrong name cannot fill the memory.
  struct Limits: Sendable {
    /// Files in the queue. Ten times the largest queue the player is measured with.
    var files = 1_000_000
    /// Playlists in playlists.
    var playlistDepth = 8
    /// Bytes in a playlist: room for half a million long names, and a film is larger.
    var playlistBytes = 64 << 20
  }

  /// The files to play, in order, as absolute paths.
  private(set) var files: [MediaPath] = []
  /// What cannot be played, in the order in which it was met.
  private(set) var problems: [QueueProblem] = []

  private let directory: MediaPath
  private let limits: Limits
  private let readStandardInput: (_ limit: Int) throws(FileBytes.Problem) -> [UInt8]
  /// The playlists that are being read, outermost first.
  private var openPlaylists: [FileStatus.Identity] = []
  private var isFull = false

  /// A builder that takes relative names as seen from `directory`.
  init(
    directory: MediaPath, limits: Limits = Limits(),
    readStandardInput: @escaping (_ limit: Int) throws(FileBytes.Problem) -> [UInt8] = {
      limit throws(FileBytes.Problem) in
      try FileBytes.readAll(STDIN_FILENO, limit: limit)
    }
  ) {
    self.directory = directory
    self.limits = limits
    self.readStandardInput = readStandardInput
  }

  /// Adds what an argument names; `-` is a playlist on standard input. May block on files and on standard input.
  mutating func add(argument: MediaPath) {
    if argument == MediaPath("-") {
      do {
        addEntries(
          of: try readStandardInput(limits.playlistBytes), name: "standard input", directory: directory)
      } catch {
        report("standard input", nil, "\(error)")
      }
    } else {
      add(argument.bytes, seenFrom: directory, origin: nil)
    }
  }

  private mutating func add(_ text: [UInt8], seenFrom directory: MediaPath, origin: String?) {
    guard !isFull else { return }
    let name = String(decoding: text, as: UTF8.self)
    // What exists as it is written is that, even if it looks like a URL.
    let written = MediaPath(bytes: text).resolved(against: directory)
    var problem: FileBytes.Problem
    do {
      add(written, try FileStatus(of: written), name: name, origin: origin)
      return
    } catch {
      problem = error
    }
    switch EntryLocation(text) {
    case .unusable(let reason):
      report(name, origin, reason)
    case .paths(let paths):
      for path in paths.map({ $0.resolved(against: directory) }) where path != written {
        do {
          add(path, try FileStatus(of: path), name: name, origin: origin)
          return
        } catch {
          if error != .system(ENOENT) { problem = error }
        }
      }
      report(name, origin, problem == .system(ENOENT) ? "no such file" : "\(problem)")
    }
  }

  private mutating func add(_ path: MediaPath, _ status: FileStatus, name: String, origin: String?) {
    if status.type == S_IFDIR {
      let listing = FolderListing(of: path, fileLimit: limits.files - files.count + 1)
      for (path, reason) in listing.problems { report(path.description, origin, reason) }
      if listing.files.isEmpty, listing.problems.isEmpty { report(name, origin, "no MP3 files in it") }
      for file in listing.files { append(file) }
    } else if path.isPlaylist {
      addPlaylist(path, status.identity, name: name, origin: origin)
    } else {
      append(path)
    }
  }

  private mutating func addPlaylist(
    _ path: MediaPath, _ identity: FileStatus.Identity, name: String, origin: String?
  ) {
    guard !openPlaylists.contains(identity) else {
      report(name, origin, "a playlist that contains itself")
      return
    }
    guard openPlaylists.count < limits.playlistDepth else {
      report(name, origin, "more than \(limits.playlistDepth) playlists deep")
      return
    }
    do {
      let bytes = try FileBytes.read(path, limit: limits.playlistBytes)
      openPlaylists.append(identity)
      addEntries(of: bytes, name: name, directory: path.directory)
      openPlaylists.removeLast()
    } catch {
      report(name, origin, "\(error)")
    }
  }

  private mutating func addEntries(of bytes: [UInt8], name: String, directory: MediaPath) {
    let content = PlaylistText.parse(bytes)
    for problem in content.problems { report("line \(problem.line)", name, problem.reason) }
    for entry in content.entries {
      add(entry.text, seenFrom: directory, origin: "\(name), line \(entry.line)")
    }
    if content.entries.isEmpty, content.problems.isEmpty { report(name, nil, "an empty playlist") }
  }

  private mutating func append(_ file: MediaPath) {
    guard files.count < limits.files else {
      if !isFull { report(file.description, nil, "more than \(limits.files) files; the rest is left out") }
      isFull = true
      return
    }
    files.append(file)
  }

  private mutating func report(_ name: String, _ origin: String?, _ reason: String) {
    problems.append(QueueProblem(name: name, origin: origin, reason: reason))
  }
}

extension MediaPath {
  /// The directory that relative names are seen from; the root if the system has none to tell (it was removed).
  static func workingDirectory() -> MediaPath {
    guard let name = getcwd(nil, 0) else { return MediaPath("/") }
    defer { free(name) }
    return MediaPath(
      bytes: UnsafeBufferPointer(start: name, count: strlen(name)).map { UInt8(bitPattern: $0) })
  }
}
