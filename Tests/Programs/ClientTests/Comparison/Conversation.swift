/// What is said to both servers, one request a line; command lists are sent as one. `@3` stands for the third id that
/// the server has told of. A line with `#` begins a part: with an empty queue and standard modes. A line with `!` says
/// why the answer to the next request is meant to be another one.
let conversation = #"""
  # an empty queue
  ping
  status
  currentsong
  playlistinfo
  playlist
  playlistid
  plchanges 0
  plchangesposid 0
  getvol
  play
  pause
  pause 1
  pause 0
  stop
  next
  previous
  seekcur 5
  seek 0 1
  seekid 1 1
  play 0
  playid 77
  ! mpd takes the place behind the last song for a stretch of none
  delete 0
  deleteid 77
  move 0 1
  moveid 77 0
  swap 0 1
  swapid 77 78
  clear
  shuffle
  clearerror
  replay_gain_status
  listpartitions
  ! files, http and https only
  urlhandlers
  addid a.mp3 +0
  # adding
  add a.mp3
  playlistinfo
  add b.mp3
  add "sub/c.mp3"
  playlistinfo
  playlist
  playlistinfo 0
  playlistinfo "1"
  playlistinfo 2
  playlistinfo 3
  playlistinfo 4
  playlistinfo -1
  playlistinfo 0:2
  playlistinfo 1:
  playlistinfo 0:99
  playlistinfo 3:9
  playlistinfo 2:1
  playlistinfo 1:1
  playlistinfo x
  playlistinfo 0 1
  playlistid @1
  playlistid "@2"
  playlistid 999
  playlistid x
  status
  currentsong
  add a.mp3 0
  playlist
  add b.mp3 99
  add b.mp3 4
  playlist
  add b.mp3 +0
  add missing.mp3
  add "missing folder/"
  add ""
  add a.mp3 0 0
  add a.mp3 x
  add sub
  playlist
  addid a.mp3
  addid b.mp3 0
  addid b.mp3 99
  addid missing.mp3
  addid sub
  addid ""
  addid a.mp3 x
  addid a.mp3 -1
  playlist
  ! for mpd the system has failed if a file outside of its folder is missing
  add /nowhere/at/all.mp3
  addid "it's \"quoted\".mp3"
  add "it's \\ bad.mp3"
  playlistinfo
  clear
  status
  playlist
  # names that need care
  add "it's \"quoted\".mp3"
  add it's
  add "it's
  add "a.mp3"x
  add a.mp3"
  playlist
  # ids and versions
  addid a.mp3
  addid b.mp3
  addid sub/c.mp3
  addid a.mp3
  playlistinfo
  status
  plchanges 0
  plchangesposid 0
  plchanges 99999
  plchangesposid 99999
  plchanges x
  plchanges -1
  plchangesposid x
  swapid @1 @2
  playlist
  swapid @1 999
  swap 0 2
  swap 0 9
  swap 9 0
  swap 0 0
  swap x 0
  swap 0
  moveid @1 3
  moveid @1 0
  moveid @1 9
  moveid 999 0
  moveid @1 x
  moveid @1 +0
  move 0 3
  move 3 0
  move 0:2 2
  move 0:2 3
  move 2: 0
  move 0:0 1
  move 9 0
  move 0 9
  move 0 -1
  move x 0
  move 0
  playlistinfo
  status
  deleteid @3
  deleteid @3
  deleteid x
  delete 0
  delete 9
  delete x
  delete 5:6
  delete 1:9
  delete 0:
  delete 0:
  playlist
  status
  # playing
  addid a.mp3
  addid b.mp3
  addid sub/c.mp3
  play
  status
  currentsong
  pause 1
  status
  pause
  status
  pause 0
  pause 1
  pause 1
  status
  play
  status
  next
  status
  currentsong
  next
  status
  previous
  status
  play 0
  status
  playid @3
  status
  play 9
  play -1
  status
  play x
  playid 999
  playid -1
  stop
  status
  currentsong
  stop
  next
  previous
  pause
  pause 1
  status
  seekcur 3
  play
  status
  seekcur 10
  seekcur +1
  seekcur -1
  seekcur -100
  seekcur x
  seekcur 1:00
  seek 1 5
  status
  seek 9 5
  seek x 5
  seek 0 x
  seekid @1 4.5
  seekid 999 5
  seekid x 5
  seekid @1
  status
  stop
  status
  # the end of the queue
  addid a.mp3
  addid b.mp3
  play 1
  next
  status
  currentsong
  play 1
  pause 1
  next
  status
  play 0
  previous
  status
  # deleting what is played
  addid a.mp3
  addid b.mp3
  addid sub/c.mp3
  play 0
  delete 0
  status
  deleteid @3
  status
  delete 0
  status
  currentsong
  addid a.mp3
  play
  clear
  status
  # moving what is played
  addid a.mp3
  addid b.mp3
  addid sub/c.mp3
  addid a.mp3
  play 1
  pause 1
  status
  move 1 3
  status
  moveid @2 0
  status
  move 0 +0
  move 2 +0
  playlist
  status
  move 3 -0
  playlist
  status
  swap 0 1
  status
  addid b.mp3 +0
  addid b.mp3 -0
  addid a.mp3 +1
  addid a.mp3 -1
  addid a.mp3 +99
  addid a.mp3 -99
  playlist
  status
  add b.mp3 +0
  playlist
  moveid @1 +0
  moveid @1 -0
  ! mpd reckons the place for moveid as if the song were added, and so one too far
  moveid @1 +99
  playlist
  status
  # modes
  repeat 1
  random 0
  single 1
  consume 1
  status
  repeat 0
  single oneshot
  consume 0
  status
  single 0
  repeat x
  repeat 1 1
  random 2
  single x
  consume x
  status
  random 1
  status
  random 0
  # modes and what comes next
  addid a.mp3
  addid b.mp3
  addid sub/c.mp3
  play 2
  pause 1
  status
  repeat 1
  status
  single 1
  status
  single oneshot
  status
  repeat 0
  single 0
  consume 1
  status
  next
  status
  playlist
  repeat 1
  play 1
  next
  ! mpd promises the only song again, which is consumed then
  status
  playlist
  consume 0
  single 1
  play
  next
  status
  previous
  status
  # volume
  setvol 50
  getvol
  status
  setvol 0
  getvol
  setvol 100
  setvol x
  getvol
  volume -10
  getvol
  volume +5
  getvol
  volume -100
  getvol
  volume 100
  getvol
  volume x
  setvol 100
  # stretches of songs
  addid a.mp3
  rangeid @1 1:2
  playlistinfo
  rangeid @1 1:
  playlistinfo
  rangeid @1 :2.5
  playlistinfo
  rangeid @1 :
  playlistinfo
  rangeid @1 2:1
  rangeid @1 x
  rangeid @1 1
  rangeid @1 -1:2
  rangeid 999 1:2
  rangeid @1
  play
  rangeid @1 1:2
  status
  # looking for songs in the queue
  add a.mp3
  add b.mp3
  add sub/c.mp3
  playlistfind Title "Song A"
  playlistfind title "song a"
  playlistsearch title "song a"
  playlistsearch Artist art
  playlistfind Artist "Artist A" Title "Song A"
  playlistfind Artist "Artist A" Title "Song B"
  playlistsearch any x
  playlistsearch any song
  playlistfind file b.mp3
  playlistsearch file SUB
  playlistfind filename b.mp3
  playlistfind Title
  playlistfind bogus x
  playlistsearch bogus x
  playlistfind "(Title == 'Song A')"
  playlistsearch "(Title contains 'song')"
  # tags
  add a.mp3
  tagtypes clear
  playlistinfo
  tagtypes enable Title artist
  tagtypes
  playlistinfo
  tagtypes disable TITLE
  playlistinfo
  tagtypes bogus
  tagtypes enable bogus
  tagtypes disable Title bogus
  tagtypes all
  playlistinfo
  # outputs
  enableoutput 0
  enableoutput 9
  disableoutput 9
  toggleoutput 9
  enableoutput x
  disableoutput 0
  enableoutput 0
  toggleoutput 0
  toggleoutput 0
  # playlists
  listplaylist missing
  listplaylistinfo missing
  load missing
  listplaylist list.m3u
  load list.m3u
  playlist
  load list.m3u 0:1
  load list.m3u 1:
  playlist
  load list.m3u 0: 0
  playlist
  # pictures
  readpicture a.mp3 0
  readpicture b.mp3 0
  readpicture b.mp3 100
  readpicture b.mp3 999999
  readpicture missing.mp3 0
  readpicture b.mp3
  readpicture b.mp3 x
  readpicture b.mp3 -1
  binarylimit 64
  readpicture b.mp3 0
  binarylimit 0
  binarylimit x
  binarylimit 8192
  readpicture b.mp3 0
  # channels
  channels
  subscribe one
  subscribe one
  subscribe "two words"
  subscribe ""
  channels
  readmessages
  sendmessage one "hello there"
  sendmessage one second
  sendmessage nobody x
  sendmessage "two words" x
  sendmessage one
  readmessages
  readmessages
  unsubscribe one
  unsubscribe one
  sendmessage one x
  channels
  # songs of the database
  find Artist "Artist A"
  search any song
  count Artist "Artist A"
  list Artist
  listall
  listallinfo
  lsinfo
  lsinfo missing
  update
  update ../x
  update /x
  rescan x/
  listplaylists
  # what describes the server
  ! another program, without partitions, stickers, neighbours and the like; with a home button
  commands
  notcommands
  ! one decoder
  decoders
  stats
  ! the one output's name
  outputs
  config
  ! a song may end when another one begins, but not before
  crossfade 3
  replay_gain_mode track
  replay_gain_status
  # constants
  crossfade 0
  crossfade x
  replay_gain_mode off
  replay_gain_mode bogus
  replay_gain_mode
  partition default
  partition missing
  clearerror x
  listpartitions x
  # commands that there are not
  bogus
  bogus "x"
  command_list_begin x
  command_list_ok_begin x
  noidle x
  idle bogus
  idle player bogus
  stats1
  Ping
  # command lists
  command_list_begin
  command_list_end
  command_list_ok_begin
  command_list_end
  command_list_begin
  ping
  status
  command_list_end
  command_list_ok_begin
  ping
  status
  currentsong
  command_list_end
  command_list_ok_begin
  add a.mp3
  addid b.mp3
  playlist
  play 9
  clear
  command_list_end
  playlist
  command_list_begin
  bogus
  ping
  command_list_end
  command_list_ok_begin
  ping
  bogus
  command_list_end
  command_list_ok_begin
  ping
  command_list_begin
  command_list_end
  command_list_begin
  ping x
  command_list_end
  command_list_ok_begin
  tagtypes
  command_list_end
  command_list_ok_begin
  ping
  add "unfinished
  ping
  command_list_end
  playlist
  command_list_ok_begin
  setvol 20
  repeat 1
  setvol 999
  repeat 0
  command_list_end
  status
  # spellings
  ping 
  status	
  playlistinfo	"0"
  playlistinfo   0
  add "a.mp3"   
  addid	"b.mp3"	0
  playlist
  play "0"
  pause "1"
  setvol "33"
  repeat "1"
  repeat "0"
  playlistinfo "0:1"
  play "-1"
  status
  play 4294967296
  play 99999999999999999999
  setvol 1e2
  setvol 0x10
  setvol +5
  setvol " 5"
  delete "0 "
  ping a b c d e f
  """#
