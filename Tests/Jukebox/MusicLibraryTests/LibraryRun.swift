import Clocks
import ControlProtocol
import Foundation
import MusicFiles
import Synchronization
import SystemSupport
import TestSupport
import Testing

@testable import MusicLibrary

/// A home with songs, and a library of it that a test waits for.
final class LibraryRun {
  let folder: TemporaryFolder
  let home: MusicHome
  let library: MusicDatabase
  let events = Events()

  /// What the library has said so far.
  final class Events: Sendable {
    private struct State {
      var events: [Subsystems] = []
      var complaints: [String] = []
      var lines: [String] = []
      var betweenUpdates: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    private let news = DispatchSemaphore(value: 0)

    /// Calls `body` once on the library's thread, between two updates, when nothing else uses its writer.
    func betweenUpdates(_ body: @escaping @Sendable () -> Void) {
      state.withLock { $0.betweenUpdates = body }
    }

    func note(_ event: Subsystems) {
      // `database` alone is progress within an update.
      if event.contains(.update) { state.withLock { $0.betweenUpdates.take() }?() }
      // Anew: what was read out of the lock shares the old one.
      state.withLock { $0.events = $0.events + [event] }
      news.signal()
    }

    func complain(_ level: LogLevel, _ text: String) {
      state.withLock { state in
        if level == .info {
          state.lines = state.lines + [text]
        } else {
          state.complaints = state.complaints + [text]
        }
      }
    }

    /// The lines about what goes well.
    var lines: [String] { state.withLock { $0.lines } }

    var complaints: [String] { state.withLock { $0.complaints } }
    var all: [Subsystems] { state.withLock { $0.events } }

    /// Waits until `condition` holds after something was said, for two minutes at most.
    func wait(until condition: () throws -> Bool) throws {
      let deadline = DispatchTime.now() + 120
      while try !condition() {
        try #require(news.wait(timeout: deadline) == .success, "\(all) \(complaints)")
      }
    }
  }

  /// A library in `folder/state` of `folder/music`, which a test fills first.
  init(_ folder: TemporaryFolder) throws {
    self.folder = folder
    try FileManager.default.createDirectory(atPath: folder.file("music"), withIntermediateDirectories: true)
    home = try MusicHome(MediaPath(folder.file("music")))
    library = try MusicDatabase(
      MediaPath(folder.file("library")), home: home, clock: SystemClock.shared
    ) { [events] in events.complain($0, $1) }
  }

  deinit { library.stop() }

  /// Starts it, and waits until everything was looked at.
  func start() throws {
    library.start { [events] in events.note($0) }
    try settle()
  }

  /// Waits until no update is under way.
  func settle() throws { try events.wait { library.updatingJob == nil } }

  /// Has it look again.
  func update(_ path: String = "", rereads: Bool = false) throws {
    _ = try #require(try library.update(Array(path.utf8), rereads: rereads))
    try settle()
  }

  /// The names that a filter finds, as `find` has it.
  func find(_ filter: String..., search: Bool = false) throws -> [String] {
    try names(Command(try Request(search ? "search" : "find", filter.map { Argument($0) })))
  }

  /// Every song, in order.
  func songs() throws -> [String] { try find("(base '')") }

  private func names(_ command: Command) throws -> [String] {
    let (query, folds): (SongQuery, Bool) =
      switch command {
      case .database(.find(let query)): (query, false)
      case .database(.search(let query)): (query, true)
      default: throw CocoaError(.featureUnsupported)
      }
    return try library.read { reader throws(DatabaseError) in
      try reader.songs(reader.find(query, foldsCase: folds)).map { String(decoding: $0.path, as: UTF8.self) }
    }
  }

  /// The values of tags, as `list` has it.
  func list(_ arguments: String...) throws -> [[String]] {
    guard case .database(.list(let query)) = try Command(try Request("list", arguments.map { Argument($0) }))
    else { throw CocoaError(.featureUnsupported) }
    var rows: [[String]] = []
    try library.read { reader throws(DatabaseError) in
      try reader.forEachValues(of: query.tags, query.filter) { values in
        rows.append(values.map { String(decoding: $0, as: UTF8.self) })
      }
    }
    return rows
  }
}

extension TemporaryFolder {
  /// Writes a song into the music.
  func song(_ name: String, _ tags: KeyValuePairs<String, String> = [:]) throws {
    try write("music/\(name)", SongBytes.make(tags))
  }
}
