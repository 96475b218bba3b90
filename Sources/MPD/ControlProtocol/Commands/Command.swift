/// A command with its parsed arguments. Each group of commands is performed in one place.
///
/// Ids and positions are those given by the client; only the queue knows whether such a song exists.
package enum Command: Hashable, Sendable {
  case connection(Connection)
  case channels(Channels)
  case transport(Transport)
  case playback(Playback)
  case queue(Queue)
  case listing(Listing)
  case outputs(Outputs)
  case library(Library)
  case database(Database)
  case playlists(Playlists)
  case stickers(Stickers)
  case fixed(Fixed)
  case application(Application)

  /// Commands about the connection itself, which performs them.
  package enum Connection: Hashable, Sendable {
    /// `ping`: replies `OK`.
    case ping
    /// `close`: closes the connection without a reply.
    case close
    /// `commands`: the commands that this client may use.
    case commands
    /// `notcommands`: the commands that this client may not use.
    case notcommands
    /// `password X`.
    case password(Argument)
    /// `binarylimit N`: the maximum size of a chunk of binary data, in bytes.
    case binarylimit(Int)
    /// `tagtypes …`: the tags in replies about songs.
    case tagtypes(TagTypesRequest)
    /// `idle [NAME…]`: waits until one of the subsystems changes. Never empty.
    case idle(Subsystems)
    /// `watch [time SECONDS] [events]`: sends records until `noidle`. Without arguments, the same as
    /// `watch events`.
    case watch(WatchRequest)
  }

  /// Commands for messages between clients.
  package enum Channels: Hashable, Sendable {
    /// `subscribe CHANNEL`.
    case subscribe(Argument)
    /// `unsubscribe CHANNEL`.
    case unsubscribe(Argument)
    /// `channels`.
    case channels
    /// `sendmessage CHANNEL TEXT`.
    case sendmessage(channel: Argument, text: Argument)
    /// `readmessages`.
    case readmessages
  }

  /// Commands for which a lock screen has controls.
  package enum Transport: Hashable, Sendable {
    /// `play [POS]`: plays the song at the position, or the current one.
    case play(position: UInt32?)
    /// `playid [ID]`: plays the song with the id, or the current one.
    case playid(id: UInt32?)
    /// `pause [0|1]`: pauses or resumes; nil toggles.
    case pause(Bool?)
    /// `stop`.
    case stop
    /// `next`.
    case next
    /// `previous`.
    case previous
    /// `seek POS TIME`: plays the song at the position from the time, which is not negative.
    case seek(position: UInt32, time: Milliseconds)
    /// `seekid ID TIME`: plays the song with the id from the time, which is not negative.
    case seekid(id: UInt32, time: Milliseconds)
    /// `seekcur [+|-]TIME`: seeks in the current song.
    case seekcur(SeekTarget)
  }

  /// The state and the modes of playback.
  package enum Playback: Hashable, Sendable {
    /// `status`.
    case status
    /// `currentsong`.
    case currentsong
    /// `stats`.
    case stats
    /// `clearerror`: removes the error from `status`.
    case clearerror
    /// `replay_gain_mode off|track|album|auto`.
    case replayGainMode(ReplayGainMode)
    /// `replay_gain_status`.
    case replayGainStatus
    /// `setvol N`: sets the volume in percent, 0–100.
    case setvol(Int)
    /// `volume N`: changes the volume by percentage points, -100–100.
    case volume(Int)
    /// `getvol`.
    case getvol
    /// `repeat 0|1`.
    case `repeat`(Bool)
    /// `random 0|1`.
    case random(Bool)
    /// `single 0|1|oneshot`.
    case single(OneshotMode)
    /// `consume 0|1|oneshot`; `oneshot` is newer than the protocol version of the greeting.
    case consume(OneshotMode)
  }

  /// Edits of the queue.
  package enum Queue: Hashable, Sendable {
    /// `delete POS|START:END`.
    case delete(PositionRange)
    /// `deleteid ID`.
    case deleteid(UInt32)
    /// `clear`.
    case clear
    /// `move FROM|START:END TO`. The range always has an end.
    case move(PositionRange, to: QueuePosition)
    /// `moveid ID TO`.
    case moveid(UInt32, to: QueuePosition)
    /// `swap POS POS`.
    case swap(UInt32, UInt32)
    /// `swapid ID ID`.
    case swapid(UInt32, UInt32)
    /// `shuffle [START:END]`.
    case shuffle(PositionRange?)
    /// `rangeid ID START:END`: sets the part of the song that is played.
    case rangeid(UInt32, SongRange)
    /// `prio N POS|START:END…`: sets a priority, 0–255. In random order, songs with a higher priority play
    /// earlier.
    case prio(UInt8, [PositionRange])
    /// `prioid N ID…`.
    case prioid(UInt8, [UInt32])
    /// `addtagid ID TAG VALUE`: adds a tag to a song from the network.
    case addtagid(UInt32, TagType, Argument)
    /// `cleartagid ID [TAG]`: removes all tags of a song from the network, or those of a type.
    case cleartagid(UInt32, TagType?)
  }

  /// Queries of the queue.
  package enum Listing: Hashable, Sendable {
    /// `playlist`: the file names of the queue.
    case playlist
    /// `playlistinfo [POS|START:END]`.
    case playlistinfo(PositionRange?)
    /// `playlistid [ID]`.
    case playlistid(UInt32?)
    /// `plchanges VERSION [START:END]`: the songs that have changed since the version.
    case plchanges(version: UInt32, range: PositionRange?)
    /// `plchangesposid VERSION [START:END]`: the positions and ids of the songs that have changed since the
    /// version.
    case plchangesposid(version: UInt32, range: PositionRange?)
    /// `playlistfind FILTER…`: the matching songs of the queue.
    case playlistfind(FilterRequest)
    /// `playlistsearch FILTER…`: the matching songs of the queue, ignoring case.
    case playlistsearch(FilterRequest)
  }

  /// Commands about the audio outputs.
  package enum Outputs: Hashable, Sendable {
    /// `outputs`.
    case outputs
    /// `enableoutput N`.
    case enableoutput(UInt32)
    /// `disableoutput N`.
    case disableoutput(UInt32)
    /// `toggleoutput N`.
    case toggleoutput(UInt32)
  }

  /// Commands about files, which read the disk.
  package enum Library: Hashable, Sendable {
    /// `add URI [POS]`: adds a file or the contents of a directory; without a position at the end.
    case add(uri: Argument, at: QueuePosition?)
    /// `addid URI [POS]`: adds one file and replies its id.
    case addid(uri: Argument, at: QueuePosition?)
    /// `lsinfo [URI]`: lists a directory; without an argument the home directory.
    case lsinfo(Argument?)
    /// `readpicture URI OFFSET`: the picture in a file, from a byte offset.
    case readpicture(Argument, offset: UInt32)
    /// `albumart URI OFFSET`: the picture file beside a song, from a byte offset.
    case albumart(Argument, offset: UInt32)
    /// `readcomments URI`: the metadata in a file apart from its tags.
    case readcomments(Argument)
    /// `getfingerprint URI`.
    case getfingerprint(Argument)
    /// `listfiles [URI]`: all files in a directory, music or not.
    case listfiles(Argument?)
  }

  /// Queries of the database of songs in the home directory, and its update.
  package enum Database: Hashable, Sendable {
    /// `find FILTER… [sort TAG] [window START:END]`.
    case find(SongQuery)
    /// `search FILTER… [sort TAG] [window START:END]`: as `find`, ignoring case.
    case search(SongQuery)
    /// `findadd FILTER… [sort TAG] [window START:END] [position POS]`.
    case findadd(SongQuery)
    /// `searchadd FILTER… [sort TAG] [window START:END] [position POS]`.
    case searchadd(SongQuery)
    /// `count [FILTER…] [group TAG]`.
    case count(CountQuery)
    /// `list TYPE [FILTER…] [group TYPE]…`.
    case list(TagQuery)
    /// `listall [URI]`: the names of all songs and directories in a directory and its subdirectories.
    case listall(Argument?)
    /// `listallinfo [URI]`: as `listall`, with tags.
    case listallinfo(Argument?)
    /// `update [URI]`: scans for changed files.
    case update(Argument?)
    /// `rescan [URI]`: scans and reads every file again.
    case rescan(Argument?)
  }

  /// Stored playlists. Those of the server take precedence; commands that only read also accept playlist
  /// files in the home directory.
  package enum Playlists: Hashable, Sendable {
    /// `listplaylists`: the names of all playlists.
    case listplaylists
    /// `listplaylist NAME`: the file names of its songs.
    case listplaylist(Argument)
    /// `listplaylistinfo NAME`: its songs.
    case listplaylistinfo(Argument)
    /// `load NAME [START:END [POS]]`.
    case load(Argument, range: PositionRange?, at: QueuePosition?)
    /// `save NAME [MODE]`: saves the queue.
    case save(Argument, SaveMode)
    /// `rm NAME`.
    case rm(Argument)
    /// `rename NAME NAME`.
    case rename(Argument, to: Argument)
    /// `playlistadd NAME URI [POS]`; without a position at the end.
    case playlistadd(Argument, uri: Argument, at: UInt32?)
    /// `playlistclear NAME`.
    case playlistclear(Argument)
    /// `playlistdelete NAME POS|START:END`.
    case playlistdelete(Argument, PositionRange)
    /// `playlistmove NAME FROM TO`.
    case playlistmove(Argument, from: UInt32, to: UInt32)
    /// `searchaddpl NAME FILTER… [sort TAG] [window START:END] [position POS]`.
    case searchaddpl(Argument, SongQuery)
  }

  /// Stickers: values that clients store for songs.
  package enum Stickers: Hashable, Sendable {
    /// `sticker get song URI NAME`.
    case get(uri: Argument, name: Argument)
    /// `sticker set song URI NAME VALUE`.
    case set(uri: Argument, name: Argument, value: Argument)
    /// `sticker delete song URI [NAME]`: deletes one sticker, or all of the song.
    case delete(uri: Argument, name: Argument?)
    /// `sticker list song URI`.
    case list(uri: Argument)
    /// `sticker find song URI NAME [=|<|> VALUE]`: the songs with such a sticker in a folder and its
    /// subfolders.
    case find(uri: Argument, name: Argument, StickerTest?)
  }

  /// Commands with constant replies: properties of the server and features that it does not have.
  package enum Fixed: Hashable, Sendable {
    /// `crossfade SECONDS`.
    case crossfade(seconds: UInt32)
    /// `config`.
    case config
    /// `decoders`.
    case decoders
    /// `urlhandlers`.
    case urlhandlers
    /// `listpartitions`.
    case listpartitions
    /// `partition NAME`.
    case partition(Argument)
    /// `listmounts`.
    case listmounts
    /// `newpartition NAME`.
    case newpartition(Argument)
    /// `mixrampdb DECIBELS`.
    case mixrampdb(Double)
    /// `mixrampdelay SECONDS`; nil for `nan`, which disables it.
    case mixrampdelay(Double?)
  }

  /// The application and its life cycle.
  package enum Application: Hashable, Sendable {
    /// `home`: presses the home button.
    case home
    /// `foreground`: brings the application to the foreground.
    case foreground
    /// `lock`: locks the screen.
    case lock
    /// `unlock`: unlocks the screen.
    case unlock
    /// `interrupt begin` or `interrupt end [resume|noresume]`.
    case interrupt(Interruption)
    /// `terminate`: ends the application as the system does.
    case terminate
    /// `launch`: starts the application again.
    case launch
    /// `lifecycle`: the application's state.
    case lifecycle
  }
}
