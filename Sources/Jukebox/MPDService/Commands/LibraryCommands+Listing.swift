import ControlProtocol
import Glibc
import Jukebox
import MusicFiles
import SystemSupport

extension LibraryCommands {
  // MARK: Listing

  func list(_ path: MediaPath, _ request: Request) throws(Ack) -> Reply {
    let entries: FolderEntries
    do {
      entries = try FolderEntries(of: path, interruption: request.interruption)
    } catch .system(ENOTDIR) {
      var reply = Reply()
      let song = Song(path: path.bytes, metadata: SongMetadata(path: path.bytes))
      SongReply(song, home: home).write(into: &reply)
      return reply
    } catch {
      throw Ack(.system, "\(error)")
    }
    var reply = Reply()
    func append(_ kind: String, _ name: [UInt8]) {
      reply.append(kind, Argument(home.name(of: path.appending(name))))
    }
    for name in entries.folders { append("directory", name) }
    for name in entries.songs { append("file", name) }
    for name in entries.playlists { append("playlist", name) }
    return reply
  }

  /// Returns the number of unplayable sound files of each kind, then the names of the first of them.
  func unplayable(in folder: MediaPath, _ request: Request) throws(Ack) -> Reply {
    var builder = QueueBuilder(
      directory: home.path, confinedTo: request.isSameUser ? nil : home, reach: nil,
      interruption: { _ in request.interruption() })
    builder.add(argument: folder)
    if let limitation = builder.limitation { throw .interrupted(limitation) }
    var reply = Reply()
    for (kind, count) in builder.unplayable.kinds {
      reply.append("kind", kind)
      reply.append("files", count)
    }
    for file in builder.unplayable.files { reply.append("file", Argument(home.name(of: file))) }
    return reply
  }

  func listFiles(_ folder: MediaPath, _ request: Request) throws(Ack) -> Reply {
    var reply = Reply()
    do throws(FileBytes.Problem) {
      for name in try FolderEntries.names(in: folder, interruption: request.interruption) {
        guard let status = try? FileStatus(of: folder.appending(name)) else { continue }
        let isFolder = status.type == S_IFDIR
        reply.append(isFolder ? "directory" : "file", Argument(name))
        if !isFolder { reply.append("size", status.size) }
        reply.append(lastModified: status.modified)
      }
    } catch {
      throw Ack(.system, "\(error)")
    }
    return reply
  }
}
