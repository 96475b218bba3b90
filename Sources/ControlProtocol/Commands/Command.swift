/// One command with its arguments understood: what a client wants done. Each group is answered in one place, which
/// knows all of its commands.
///
/// Ids and positions are as the client gave them; whether there is such a song only the queue knows.
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

  /// What concerns the connection itself, which answers it.
  package enum Connection: Hashable, Sendable {
    /// `ping`: `OK`.
    case ping
    /// `close`: the connection ends without an answer.
    case close
    /// `commands`: what this client may use.
    case commands
    /// `notcommands`: what this client may not use.
    case notcommands
    /// `password X`.
    case password(Argument)
    /// `binarylimit N`: the size of a chunk of binary data, in bytes.
    case binarylimit(Int)
    /// `tagtypes …`: which tags songs are answered with.
    case tagtypes(TagTypesRequest)
    /// `idle [NAME…]`: waits for one of these to change. Never empty.
    case idle(Subsystems)
    /// `watch [time SECONDS] [events]`: records until `noidle`. Without arguments as `watch events`.
    case watch(WatchRequest)
  }

  /// Messages that clients send each other.
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

  /// What a lock screen has controls for.
  package enum Transport: Hashable, Sendable {
    /// `play [POS]`: this song, or the current one.
    case play(position: UInt32?)
    /// `playid [ID]`: this song, or the current one.
    case playid(id: UInt32?)
    /// `pause [0|1]`; `nil` for the other of the two.
    case pause(Bool?)
    /// `stop`.
    case stop
    /// `next`.
    case next
    /// `previous`.
    case previous
    /// `seek POS TIME`: into this song, from its beginning. Not negative.
    case seek(position: UInt32, time: Milliseconds)
    /// `seekid ID TIME`. Not negative.
    case seekid(id: UInt32, time: Milliseconds)
    /// `seekcur [+|-]TIME`: in the current song.
    case seekcur(SeekTarget)
  }

  /// What plays, and how.
  package enum Playback: Hashable, Sendable {
    /// `status`.
    case status
    /// `currentsong`.
    case currentsong
    /// `stats`.
    case stats
    /// `clearerror`: takes the error out of `status`.
    case clearerror
    /// `replay_gain_mode off|track|album|auto`.
    case replayGainMode(ReplayGainMode)
    /// `replay_gain_status`.
    case replayGainStatus
    /// `setvol N`: in percent, 0–100.
    case setvol(Int)
    /// `volume N`: more or less by this, -100–100.
    case volume(Int)
    /// `getvol`.
    case getvol
    /// `repeat 0|1`.
    case `repeat`(Bool)
    /// `random 0|1`.
    case random(Bool)
    /// `single 0|1|oneshot`.
    case single(OneshotMode)
    /// `consume 0|1|oneshot`; the last is newer than the protocol version of the greeting.
    case consume(OneshotMode)
  }

  /// Editing the queue.
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
    /// `rangeid ID START:END`: play only this part of the song.
    case rangeid(UInt32, SongRange)
    /// `prio N POS|START:END…`: with random, songs with more come sooner. 0–255.
    case prio(UInt8, [PositionRange])
    /// `prioid N ID…`.
    case prioid(UInt8, [UInt32])
    /// `addtagid ID TAG VALUE`: one more tag, of a song from the network.
    case addtagid(UInt32, TagType, Argument)
    /// `cleartagid ID [TAG]`: without its tags, or those of a type.
    case cleartagid(UInt32, TagType?)
  }

  /// Songs of the queue.
  package enum Listing: Hashable, Sendable {
    /// `playlist`: the names of the queue.
    case playlist
    /// `playlistinfo [POS|START:END]`.
    case playlistinfo(PositionRange?)
    /// `playlistid [ID]`.
    case playlistid(UInt32?)
    /// `plchanges VERSION [START:END]`: what changed since.
    case plchanges(version: UInt32, range: PositionRange?)
    /// `plchangesposid VERSION [START:END]`: its positions and ids only.
    case plchangesposid(version: UInt32, range: PositionRange?)
    /// `playlistfind FILTER…`: songs of the queue.
    case playlistfind(FilterRequest)
    /// `playlistsearch FILTER…`: songs of the queue, in capitals or small letters.
    case playlistsearch(FilterRequest)
  }

  /// Where the sound goes.
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

  /// Files, which have to be looked for on a disk.
  package enum Library: Hashable, Sendable {
    /// `add URI [POS]`: a file, or what is in a directory; at the end if no place is given.
    case add(uri: Argument, at: QueuePosition?)
    /// `addid URI [POS]`: one file; answers its id.
    case addid(uri: Argument, at: QueuePosition?)
    /// `lsinfo [URI]`: a directory; the home directory without a name.
    case lsinfo(Argument?)
    /// `readpicture URI OFFSET`: the picture in a file, from this byte on.
    case readpicture(Argument, offset: UInt32)
    /// `albumart URI OFFSET`: the picture beside a file, from this byte on.
    case albumart(Argument, offset: UInt32)
    /// `readcomments URI`: what a file says beyond its tags.
    case readcomments(Argument)
    /// `getfingerprint URI`.
    case getfingerprint(Argument)
    /// `listfiles [URI]`: everything in a directory, music or not.
    case listfiles(Argument?)
  }

  /// The songs that are known of the home directory.
  package enum Database: Hashable, Sendable {
    /// `find FILTER… [sort TAG] [window START:END]`.
    case find(SongQuery)
    /// `search FILTER… [sort TAG] [window START:END]`: in capitals or small letters.
    case search(SongQuery)
    /// `findadd FILTER… [sort TAG] [window START:END] [position POS]`.
    case findadd(SongQuery)
    /// `searchadd FILTER… [sort TAG] [window START:END] [position POS]`.
    case searchadd(SongQuery)
    /// `count [FILTER…] [group TAG]`.
    case count(CountQuery)
    /// `list TYPE [FILTER…] [group TYPE]…`.
    case list(TagQuery)
    /// `listall [URI]`: the names of everything in a directory and below it.
    case listall(Argument?)
    /// `listallinfo [URI]`: the same with tags.
    case listallinfo(Argument?)
    /// `update [URI]`: looks for what has changed.
    case update(Argument?)
    /// `rescan [URI]`: the same, and reads every file anew.
    case rescan(Argument?)
  }

  /// Playlists with names. Those that the server keeps come first; what only reads takes files in the home too.
  package enum Playlists: Hashable, Sendable {
    /// `listplaylists`: the names of all.
    case listplaylists
    /// `listplaylist NAME`: its songs' names.
    case listplaylist(Argument)
    /// `listplaylistinfo NAME`: its songs.
    case listplaylistinfo(Argument)
    /// `load NAME [START:END [POS]]`.
    case load(Argument, range: PositionRange?, at: QueuePosition?)
    /// `save NAME [MODE]`: the queue.
    case save(Argument, SaveMode)
    /// `rm NAME`.
    case rm(Argument)
    /// `rename NAME NAME`.
    case rename(Argument, to: Argument)
    /// `playlistadd NAME URI [POS]`; at the end if no place is given.
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

  /// What clients note about songs.
  package enum Stickers: Hashable, Sendable {
    /// `sticker get song URI NAME`.
    case get(uri: Argument, name: Argument)
    /// `sticker set song URI NAME VALUE`.
    case set(uri: Argument, name: Argument, value: Argument)
    /// `sticker delete song URI [NAME]`: one, or all of the song's.
    case delete(uri: Argument, name: Argument?)
    /// `sticker list song URI`.
    case list(uri: Argument)
    /// `sticker find song URI NAME [=|<|> VALUE]`: the songs in a folder and below it that have it.
    case find(uri: Argument, name: Argument, StickerTest?)
  }

  /// What is answered the same at all times: what the server is, and what it does without.
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
    /// `mixrampdelay SECONDS`; nil for `nan`, which turns it off.
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
    /// `unlock`: unlocks it.
    case unlock
    /// `interrupt begin` or `interrupt end [resume|noresume]`.
    case interrupt(Interruption)
    /// `terminate`: ends the application as the system does.
    case terminate
    /// `launch`: starts it again.
    case launch
    /// `lifecycle`: the application's state.
    case lifecycle
  }
}
