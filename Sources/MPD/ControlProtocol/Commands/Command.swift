/// A command with its parsed arguments. Each group of commands is performed in one place. The cases have the
/// names and the argument order of the requests, which `CommandRow.all` parses.
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

  /// Commands about the connection, performed by ``ConnectionMachine``.
  package enum Connection: Hashable, Sendable {
    case ping
    /// Closes the connection without a reply.
    case close
    /// The commands that this client may use.
    case commands
    /// The commands that this client may not use.
    case notcommands
    case password(Argument)
    /// The maximum size of a chunk of binary data, in bytes.
    case binarylimit(Int)
    /// The tags in replies about songs.
    case tagtypes(TagTypesRequest)
    /// `idle [NAME…]`: waits until one of the subsystems changes. The set is never empty.
    case idle(Subsystems)
    /// `watch [time SECONDS] [events]`: sends records until `noidle`. Without arguments, the same as
    /// `watch events`.
    case watch(WatchRequest)
  }

  /// Commands for messages between clients.
  package enum Channels: Hashable, Sendable {
    case subscribe(Argument)
    case unsubscribe(Argument)
    case channels
    case sendmessage(channel: Argument, text: Argument)
    case readmessages
  }

  /// Commands that start, stop or move playback, as the controls of a lock screen do. Absolute times are not
  /// negative.
  package enum Transport: Hashable, Sendable {
    /// Plays the song at the position. With nil, resumes playback, or starts the current song, or without one
    /// the first song in playback order.
    case play(position: UInt32?)
    /// Plays the song with the id; nil as for `play`.
    case playid(id: UInt32?)
    /// `pause [0|1]`: pauses or resumes; nil toggles.
    case pause(Bool?)
    case stop
    case next
    case previous
    case seek(position: UInt32, time: Milliseconds)
    case seekid(id: UInt32, time: Milliseconds)
    /// `seekcur [+|-]TIME`: seeks in the current song.
    case seekcur(SeekTarget)
  }

  /// The state and the modes of playback.
  package enum Playback: Hashable, Sendable {
    case status
    case currentsong
    case stats
    /// Removes the error of a song or speed from `status`. The error of an output stays.
    case clearerror
    case replayGainMode(ReplayGainMode)
    case replayGainStatus
    /// Sets the volume in percent, 0–100.
    case setvol(Int)
    /// Changes the volume by percentage points, -100–100.
    case volume(Int)
    case getvol
    /// Sets the speed of playback.
    case speed(PlaybackSpeed)
    case getspeed
    /// Pauses playback after a time or at the end of the current song, or cancels a pending pause.
    case sleep(SleepRequest)
    case getsleep
    /// The positions at which long songs resume.
    case positions
    case `repeat`(Bool)
    case random(Bool)
    case single(OneshotMode)
    /// `consume 0|1|oneshot`; `oneshot` is newer than the protocol version of the greeting.
    case consume(OneshotMode)
  }

  /// Edits of the queue.
  package enum Queue: Hashable, Sendable {
    case delete(PositionRange)
    case deleteid(UInt32)
    case clear
    /// `move FROM|START:END TO`. The range always has an end.
    case move(PositionRange, to: QueuePosition)
    case moveid(UInt32, to: QueuePosition)
    case swap(UInt32, UInt32)
    case swapid(UInt32, UInt32)
    case shuffle(PositionRange?)
    /// Sets the part of the song that is played.
    case rangeid(UInt32, SongRange)
    /// Sets a priority, 0–255. In random order, songs with a higher priority play earlier.
    case prio(UInt8, [PositionRange])
    case prioid(UInt8, [UInt32])
    /// Adds a tag to a song from the network.
    case addtagid(UInt32, TagType, Argument)
    /// Removes all tags of a song from the network, or only the tags of the given type.
    case cleartagid(UInt32, TagType?)
  }

  /// Queries of the queue.
  package enum Listing: Hashable, Sendable {
    /// The file names of the queue.
    case playlist
    case playlistinfo(PositionRange?)
    case playlistid(UInt32?)
    /// The songs that have changed since the version.
    case plchanges(version: UInt32, range: PositionRange?)
    /// The positions and ids of the songs that have changed since the version.
    case plchangesposid(version: UInt32, range: PositionRange?)
    case playlistfind(FilterRequest)
    /// Searches ignoring case; the value of a pair may match a part of the text.
    case playlistsearch(FilterRequest)
  }

  /// Commands about the audio outputs.
  package enum Outputs: Hashable, Sendable {
    case outputs
    case enableoutput(UInt32)
    case disableoutput(UInt32)
    case toggleoutput(UInt32)
  }

  /// Commands about files and URLs, which may read the disk or the network.
  package enum Library: Hashable, Sendable {
    /// Adds a file, a URL, or the songs of a directory or playlist, at the end unless a position is given.
    case add(uri: Argument, at: QueuePosition?)
    /// Adds one file or URL and replies with the id of the song.
    case addid(uri: Argument, at: QueuePosition?)
    /// Lists a directory or describes a file. For nil or the music directory, also lists the stored playlists.
    case lsinfo(Argument?)
    /// The picture in the tag of a file or network medium, from a byte offset.
    case readpicture(Argument, offset: UInt32)
    /// The picture file beside a song, from a byte offset.
    case albumart(Argument, offset: UInt32)
    /// The metadata in a file apart from its tags. A successful reply of this server is empty.
    case readcomments(Argument)
    case getfingerprint(Argument)
    /// The files and subdirectories of a directory, music or not; nil for the music directory.
    case listfiles(Argument?)
    /// The number of unplayable sound files of each kind in a directory and its subdirectories, and the first names.
    /// Nil for the music directory.
    case unplayable(Argument?)
  }

  /// Queries and updates of the database of songs in the music directory. The `search…` commands ignore case.
  package enum Database: Hashable, Sendable {
    /// `find FILTER… [sort TAG] [window START:END]`.
    case find(SongQuery)
    case search(SongQuery)
    /// `findadd FILTER… [sort TAG] [window START:END] [position POS]`.
    case findadd(SongQuery)
    case searchadd(SongQuery)
    case count(CountQuery)
    case list(TagQuery)
    /// The names of all songs, playlists and directories in a directory and its subdirectories. Nil for the music
    /// directory.
    case listall(Argument?)
    /// Lists the same as `listall`, with tags.
    case listallinfo(Argument?)
    /// Scans a file or directory for changes; nil for the music directory.
    case update(Argument?)
    /// Scans like `update`, and also reads unchanged files again.
    case rescan(Argument?)
  }

  /// Commands for stored playlists. Commands that do not change the playlist also accept URLs of playlists, and
  /// playlist files in the music directory. A stored playlist takes precedence over a file of the same name.
  package enum Playlists: Hashable, Sendable {
    case listplaylists
    /// The file names of a playlist's songs.
    case listplaylist(Argument)
    /// The songs of a playlist, with tags.
    case listplaylistinfo(Argument)
    case load(Argument, range: PositionRange?, at: QueuePosition?)
    /// Saves the queue as a playlist.
    case save(Argument, SaveMode)
    case rm(Argument)
    case rename(Argument, to: Argument)
    /// Adds a file, a URL, or the songs of a directory or playlist, at the end unless a position is given.
    case playlistadd(Argument, uri: Argument, at: UInt32?)
    case playlistclear(Argument)
    case playlistdelete(Argument, PositionRange)
    case playlistmove(Argument, from: UInt32, to: UInt32)
    case searchaddpl(Argument, SongQuery)
  }

  /// Stickers: values that clients store for songs. `sticker COMMAND song URI …`.
  package enum Stickers: Hashable, Sendable {
    case get(uri: Argument, name: Argument)
    case set(uri: Argument, name: Argument, value: Argument)
    /// Deletes a sticker of the song; all its stickers if the name is nil.
    case delete(uri: Argument, name: Argument?)
    case list(uri: Argument)
    /// The songs in a folder and its subfolders that have the sticker, with a value that passes the test, if any.
    case find(uri: Argument, name: Argument, StickerTest?)
  }

  /// Commands that do not depend on the jukebox: properties of the server and features that it does not have.
  package enum Fixed: Hashable, Sendable {
    case crossfade(seconds: UInt32)
    case config
    case decoders
    case urlhandlers
    case listpartitions
    case partition(Argument)
    case listmounts
    case newpartition(Argument)
    /// A threshold in decibels.
    case mixrampdb(Double)
    /// A time in seconds; nil for `nan`, which disables MixRamp.
    case mixrampdelay(Double?)
  }

  /// The application and its life cycle.
  package enum Application: Hashable, Sendable {
    /// Presses the home button.
    case home
    case foreground
    case lock
    case unlock
    /// `interrupt begin` or `interrupt end [resume|noresume]`.
    case interrupt(Interruption)
    /// Terminates the application normally, with the call `applicationWillTerminate` unless it is suspended.
    case terminate
    case launch
    case lifecycle
  }

  /// The command's filter for songs of the queue or the database; nil for a command without one.
  package var filter: FilterExpression? {
    switch self {
    case .listing(.playlistfind(let request)), .listing(.playlistsearch(let request)): request.expression
    case .database(.find(let query)), .database(.search(let query)), .database(.findadd(let query)),
      .database(.searchadd(let query)), .playlists(.searchaddpl(_, let query)):
      query.filter
    case .database(.count(let query)): query.filter
    case .database(.list(let query)): query.filter
    default: nil
    }
  }
}
