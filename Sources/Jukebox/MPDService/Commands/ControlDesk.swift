import AppLifecycle
package import ControlProtocol
import ControlServer
package import Jukebox
import JukeboxPlayback
import MusicFiles
import MusicLibrary
import SystemSupport

/// Performs the commands of all clients, and handles the other events of the server's clients.
///
/// Commands that need only memory complete immediately on the control loop. Commands that need the disk or
/// the application complete later, on other threads.
struct ControlDesk: ControlHandler {
  let playback: PlaybackCommands
  let queue: QueueCommands
  let library: LibraryCommands
  let application: ApplicationCommands
  let outputs: OutputCommands
  let home: MusicHome
  let watches: WatchDesk
  /// Writes a line into the operator's log, without blocking. Any thread.
  var log: @Sendable (LogLevel, String) -> Void = { _, _ in }

  func perform(
    _ command: Command, _ context: ConnectionMachine.Context, for client: ClientInfo, completion: Completion
  ) {
    perform(command, context, for: client) { completion($0) }
  }

  /// Performs one command and calls `completion`, immediately or later, on any thread.
  func perform(
    _ command: Command, _ context: ConnectionMachine.Context, for client: ClientInfo,
    completion: @escaping @Sendable (Result<Reply, Ack>) -> Void
  ) {
    do throws(Ack) {
      for pattern in command.filter?.patterns ?? [] { _ = try TextPattern(pattern, foldsCase: false) }
    } catch {
      return completion(.failure(error))
    }
    switch command {
    case .connection, .channels: completion(.failure(Ack(.unknown, "the server answers that itself")))
    case .fixed(let command): completion(Result { () throws(Ack) in try answer(command, for: client) })
    case .playback(let command):
      completion(
        Result { () throws(JukeboxError) in try playback.perform(command, tags: context.tags) }.mapError(
          \.ack))
    case .transport(let command):
      if let refusal = application.device.admitTransport() {
        return completion(.failure(Ack(.playerSync, refusal)))
      }
      completion(Result { () throws(JukeboxError) in try playback.perform(command) }.mapError(\.ack))
    case .queue(let command):
      completion(Result { () throws(JukeboxError) in try queue.perform(command) }.mapError(\.ack))
    case .listing(let command):
      completion(Result { () throws(Ack) in try queue.list(command, tags: context.tags) })
    case .outputs(let command): outputs.perform(command, completion: completion)
    case .library(let command): library.perform(command, context, for: client, completion: completion)
    case .database(let command): library.perform(command, context, for: client, completion: completion)
    case .playlists(let command): library.perform(command, context, for: client, completion: completion)
    case .stickers(let command): library.perform(command, for: client, completion: completion)
    case .application(.lifecycle): completion(.success(application.lifecycle()))
    case .application(let command):
      Task { [application] in completion(.success(await application.perform(command))) }
    }
  }

  func watchBegan(_ topics: Set<WatchTopic>, by client: ClientInfo) {
    watches.began(topics, by: client.id, application: { [application] in application.device.state })
  }

  func watchEnded(by client: ClientInfo) { watches.ended(by: client.id) }

  func inputEnded(_ client: ClientInfo) { if !client.isLocal { library.gone.inputEnded(client.id) } }

  func connectionClosed(_ client: ClientInfo) { library.gone.connectionClosed(client.id) }

  func clientLeft(_ client: ClientInfo) { library.gone.clientLeft(client.id) }

  func report(_ level: LogLevel, _ text: String) { log(level, text) }

  private static var decoders: Reply {
    var reply = Reply(["plugin": "mpg123", "suffix": "mp3", "mime_type": "audio/mpeg", "plugin": "sndfile"])
    for suffix in MediaPath.songExtensions where suffix != "mp3" { reply.append("suffix", suffix) }
    for type in mediaTypes.dropFirst() { reply.append("mime_type", type) }
    return reply
  }

  /// The MIME types of playable media; the first one is libmpg123's.
  static let mediaTypes = ["mpeg", "flac", "ogg", "opus", "wav", "aiff", "x-caf"].map { "audio/\($0)" }

  /// Returns replies that depend only on the command, the configuration and the client. The server has no crossfades,
  /// further partitions or mounts.
  private func answer(_ command: Command.Fixed, for client: ClientInfo) throws(Ack) -> Reply {
    switch command {
    // The message is mpd's. A client that cannot open the files need not know their path.
    case .config where !client.isLocal: throw Ack(.permission, "Command only permitted to local clients")
    case .config: return Reply(["music_directory": home.path.description])
    case .decoders: return Self.decoders
    case .urlhandlers:
      var reply = Reply()
      if client.isLocal { reply.append("handler", "file://") }
      if library.reach(of: client) != nil {
        for scheme in ["http://", "https://"] { reply.append("handler", scheme) }
      }
      return reply
    case .listpartitions: return Reply(["partition": "default"])
    case .crossfade(0), .partition("default"), .mixrampdb(0), .mixrampdelay(nil): return Reply()
    case .crossfade: throw Ack.noCrossfade
    case .mixrampdb, .mixrampdelay: throw Ack(.argument, "songs are not mixed into each other")
    case .partition: throw Ack(.noExist, "partition does not exist")
    case .newpartition: throw Ack(.unknown, "there is one player, and so one partition")
    case .listmounts: throw Ack(.unknown, "nothing can be mounted: there is one folder of music")
    }
  }
}

extension JukeboxError {
  package var ack: Ack { Ack(code, message) }

  private var code: Ack.Code {
    switch self {
    case .badSongIndex, .numberTooLarge, .moveRelativeToItself, .pathTooLong: .argument
    case .noSuchSong: .noExist
    case .notPlaying, .noCurrentSong: .playerSync
    case .songIsCurrent, .songIsLocal: .permission
    case .notSeekable: .unknown
    case .queueFull: .playlistMax
    }
  }
}

extension MusicHome.Problem {
  /// The error in mpd's protocol, with mpd's message if mpd has one for this case.
  var ack: Ack {
    switch self {
    case .missing: Ack(.noExist, "No such directory")
    case .unusable(let reason): Ack(.noExist, reason)
    case .system(let problem): Ack(.system, "\(problem)")
    }
  }
}
