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
    switch command {
    case .connection, .channels: completion(.failure(Ack(.unknown, "the server answers that itself")))
    case .fixed(let command):
      completion(Result { () throws(Ack) in try answer(command) })
    case .playback(let command):
      completion(
        Result { () throws(JukeboxError) in try playback.perform(command, tags: context.tags) }.mapError(
          \.ack))
    case .transport(let command):
      completion(
        Result { () throws(Ack) in try application.admitTransport() }.flatMap {
          Result { () throws(JukeboxError) in try playback.perform(command) }.mapError(\.ack)
        })
    case .queue(let command):
      completion(Result { () throws(JukeboxError) in try queue.perform(command) }.mapError(\.ack))
    case .listing(let command):
      completion(Result { () throws(Ack) in try queue.list(command, tags: context.tags) })
    case .outputs(let command):
      completion(Result { () throws(Ack) in try outputs.perform(command) })
    case .library(let command):
      library.perform(command, context, for: client, completion: completion)
    case .database(let command):
      library.perform(command, context, for: client, completion: completion)
    case .application(.lifecycle): completion(.success(application.lifecycle()))
    case .application(let command):
      Task { [application] in completion(.success(await application.perform(command))) }
    }
  }

  /// What a player without stored playlists and fades always answers.
  private func answer(_ command: Command.Fixed) throws(Ack) -> Reply {
    switch command {
    case .config: return Reply(["music_directory": home.path.description])
    case .decoders: return Reply(["plugin": "mpg123", "suffix": "mp3", "mime_type": "audio/mpeg"])
    case .urlhandlers: return Reply(["handler": "file://"])
    case .listpartitions: return Reply(["partition": "default"])
    case .listplaylists, .crossfade(0), .partition("default"): return Reply()
    case .crossfade: throw Ack(.argument, "songs follow each other without a gap and without a fade")
    case .partition: throw Ack(.noExist, "partition does not exist")
    }
  }
}
