import AudioCore
import ControlProtocol
import ControlServer
import Jukebox
import MusicFiles
import Synchronization

/// Answers the commands of all clients.
///
/// What can be answered from memory is answered at once, on the control loop. What needs the disk or the application
/// is answered when it is done; both have threads of their own.
final class ControlDesk: Sendable {
  private let playback: PlaybackCommands
  private let queue: QueueCommands
  /// The commands that go to the disk.
  let library: LibraryCommands
  private let application: ApplicationCommands
  private let outputs: OutputCommands
  private let home: MusicHome

  init(
    playback: PlaybackCommands, queue: QueueCommands, library: LibraryCommands,
    application: ApplicationCommands, outputs: OutputCommands, home: MusicHome
  ) {
    self.playback = playback
    self.queue = queue
    self.library = library
    self.application = application
    self.outputs = outputs
    self.home = home
  }

  /// Carries out one command and calls `completion`, at once or later, on any thread.
  func perform(
    _ command: Command, _ context: ConnectionMachine.Context, for client: ClientInfo,
    completion: @escaping @Sendable (Result<Reply, Ack>) -> Void
  ) {
    if LibraryCommands.has(command) {
      library.perform(command, context, for: client, completion: completion)
    } else if ApplicationCommands.has(command) {
      Task { [application] in completion(.success(await application.perform(command) ?? Reply())) }
    } else {
      do throws(Ack) {
        completion(.success(try answer(command, context)))
      } catch {
        completion(.failure(error))
      }
    }
  }

  /// What is answered from memory.
  private func answer(_ command: Command, _ context: ConnectionMachine.Context) throws(Ack) -> Reply {
    switch command {
    case .status: return playback.status()
    case .currentsong: return playback.currentSong(tags: context.tags)
    case .stats: return playback.stats()
    case .getvol: return playback.volume()
    case .lifecycle: return application.lifecycle()
    case .outputs: return outputs.list()
    case .enableoutput(let id): return try outputs.set(id, true)
    case .disableoutput(let id): return try outputs.set(id, false)
    case .toggleoutput(let id): return try outputs.set(id, nil)
    default: break
    }
    if let constant = constant(command) { return constant }
    if let refusal = Self.refusal(command) { throw refusal }
    if Self.isTransport(command) { try application.admitTransport() }
    do throws(JukeboxError) {
      if let reply = try playback.perform(command) { return reply }
    } catch {
      throw error.ack
    }
    if let reply = try queue.perform(command, tags: context.tags) { return reply }
    throw Ack(.unknown, "\(command.name.rawValue) is not possible here")
  }

  /// Whether a lock screen has such a control.
  private static func isTransport(_ command: Command) -> Bool {
    switch command {
    case .play, .playid, .pause, .stop, .next, .previous, .seek, .seekid, .seekcur: true
    default: false
    }
  }

  /// What a player without a database always answers.
  private func constant(_ command: Command) -> Reply? {
    switch command {
    case .config: Reply(["music_directory": home.path.description])
    case .decoders: Reply(["plugin": "mpg123", "suffix": "mp3", "mime_type": "audio/mpeg"])
    case .urlhandlers: Reply(["handler": "file://"])
    case .listpartitions: Reply(["partition": "default"])
    case .replayGainStatus: Reply(["replay_gain_mode": "off"])
    case .count: Reply(["songs": "0", "playtime": "0"])
    case .list, .find, .search, .findadd, .searchadd, .listall, .listallinfo, .listplaylists: Reply()
    case .crossfade(0), .replayGainMode(.off), .partition("default"): Reply()
    default: nil
    }
  }

  private static func refusal(_ command: Command) -> Ack? {
    switch command {
    case .crossfade: Ack(.argument, "songs follow each other without a gap and without a fade")
    case .replayGainMode: Ack(.argument, "songs are played as they are")
    case .partition: Ack(.noExist, "partition does not exist")
    default: nil
    }
  }
}
