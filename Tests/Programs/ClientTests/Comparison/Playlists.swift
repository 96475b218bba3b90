/// What is asked of stored playlists, stickers and priorities, said to both servers as `conversation` is.
let playlistConversation = #"""
  # saving
  listplaylists
  save one
  save one
  listplaylist one
  add a.mp3
  add b.mp3
  add sub/c.mp3
  save five
  save five
  listplaylist five
  listplaylistinfo five
  save a/b
  save ""
  save "a b"
  save "x.m3u"
  ! names of hidden files are refused
  save ..
  ! a mode may follow
  save
  ! a mode, as with later versions of mpd
  save five replace
  ! a mode, as with later versions of mpd
  save five append
  ! a mode, as with later versions of mpd
  save five bogus
  rm nowhere
  rm a/b
  rm ""
  rm one
  rm one
  rm "x.m3u"
  rm "a b"
  ! names of hidden files are refused
  rm ..
  rename five six
  rename five six
  rename nowhere x
  save one
  rename six one
  rename six six
  rename six a/b
  rename a/b six
  rename six
  rm one
  lsinfo
  ! names of hidden files are refused
  save .hidden
  rm six
  ! mpd has its own hidden one
  rm .hidden
  listplaylists
  # adding
  playlistadd new a.mp3
  playlistadd new b.mp3 0
  playlistadd new sub 1
  listplaylist new
  playlistadd new a.mp3 99
  playlistadd new a.mp3 x
  playlistadd new a.mp3 -1
  playlistadd new a.mp3 +0
  playlistadd new missing.mp3
  playlistadd new2 a.mp3 1
  playlistadd new2 a.mp3 0
  playlistadd a/b a.mp3
  playlistadd new /nowhere/at/all.mp3
  playlistadd new
  listplaylist new
  listplaylist new2
  playlistclear new2
  listplaylist new2
  playlistclear new2
  playlistclear nowhere
  playlistclear a/b
  playlistclear
  rm new2
  # taking out
  playlistdelete new 0
  listplaylist new
  playlistdelete new 1:1
  playlistdelete new 2:1
  playlistdelete new 99
  playlistdelete new x
  playlistdelete new 99:
  playlistdelete nowhere 0
  playlistdelete a/b 0
  playlistdelete new
  listplaylist new
  playlistadd new a.mp3
  playlistadd new b.mp3
  playlistdelete new 1:99
  playlistdelete new 1
  playlistdelete new 1:
  playlistdelete new 2
  listplaylist new
  playlistdelete new -1
  listplaylist new
  playlistdelete new 0
  playlistdelete new 0:
  rm new
  # moving
  playlistadd m a.mp3
  playlistadd m b.mp3
  playlistadd m sub/c.mp3
  playlistmove m 0 2
  listplaylist m
  playlistmove m 2 0
  listplaylist m
  playlistmove m 0 0
  playlistmove m 0 3
  playlistmove m 3 0
  playlistmove m 9 9
  playlistmove m -1 0
  playlistmove m x 0
  playlistmove m 0 x
  playlistmove m 0:2 1
  playlistmove nowhere 0 0
  playlistmove nowhere 0 1
  playlistmove a/b 0 1
  playlistmove m 0
  listplaylist m
  # loading
  load m
  playlist
  load m 0:1
  load m 1:
  load m 2
  load m 9
  load m 9:
  load m 1:1
  playlist
  load m 0: 0
  load m 0: 99
  load m 0: +0
  load m 0: x
  load m x
  playlist
  load nowhere
  load a/b
  load m.m3u
  load list.m3u
  listplaylist m.m3u
  playlist
  ! files of the home are found without their extension
  load list
  clear
  rm list.m3u
  rm m
  # what a search finds
  searchaddpl sp any song
  listplaylist sp
  searchaddpl sp Artist "Artist a"
  listplaylist sp
  searchaddpl sp any song sort -Title
  searchaddpl sp any song window 0:1
  searchaddpl sp any song position 0
  searchaddpl sp any song sort Title window 1:2 position 1
  listplaylist sp
  searchaddpl sp any zzz
  searchaddpl sp2 any zzz
  listplaylist sp2
  searchaddpl sp
  searchaddpl sp any
  searchaddpl a/b any song
  searchaddpl sp any song position 999
  rm sp
  # a playlist that somebody has written by hand
  listplaylist hand
  listplaylistinfo hand
  load hand
  playlist
  load hand 1:4
  playlist
  playlistadd hand b.mp3
  listplaylist hand
  playlistmove hand 0 1
  playlistdelete hand 2:4
  listplaylist hand
  rename hand other
  listplaylist other
  listplaylist remote
  listplaylistinfo remote
  load folder
  listplaylist folder
  load link
  # stickers
  sticker
  sticker get
  sticker bogus song a.mp3 x
  sticker set song a.mp3 rating 5
  sticker set song a.mp3 rating 7
  sticker set song b.mp3 rating 10
  sticker set song sub/c.mp3 rating ""
  sticker set song sub/c.mp3 "na me" "va=lue"
  sticker get song a.mp3 rating
  sticker get song a.mp3 nope
  sticker get song missing.mp3 nope
  sticker get song missing.mp3
  sticker set song missing.mp3 x y
  sticker set song sub x y
  ! mpd says OK and forgets it
  sticker set song a.mp3 "" y
  sticker set song a.mp3 x
  sticker get album a.mp3 x
  sticker set playlist one x y
  sticker list song a.mp3
  sticker list song b.mp3
  sticker list song sub/c.mp3
  sticker list song missing.mp3
  sticker list song
  sticker list song a.mp3 x
  sticker find song "" rating
  sticker find song "" rating = 7
  sticker find song "" rating < 9
  sticker find song "" rating > 10
  sticker find song "" rating > 1
  sticker find song "" rating < 10
  sticker find song "" rating == 7
  sticker find song "" rating eq 7
  sticker find song sub "na me"
  sticker find song sub rating < 1
  sticker find song a.mp3 rating
  sticker find song missing rating
  sticker find song su rating
  sticker find song
  sticker find song ""
  sticker find song "" nope
  sticker find song "" rating =
  sticker find song "" rating = 7 8
  sticker find song "" rating sort value
  sticker find song "" rating window 0:1
  sticker delete song a.mp3 nope
  sticker delete song a.mp3 rating
  sticker delete song a.mp3
  sticker list song a.mp3
  sticker delete song a.mp3
  sticker set song a.mp3 x 1
  sticker set song a.mp3 y 2
  sticker list song a.mp3
  sticker delete song a.mp3
  sticker list song a.mp3
  sticker delete song missing.mp3
  sticker delete song a.mp3 a b
  sticker set song b.mp3 a b c
  sticker inc song a.mp3 r 1
  # priorities
  addid a.mp3
  addid b.mp3
  addid sub/c.mp3
  prio 5 0
  playlistinfo
  prio 256 0
  prio -1 0
  prio x 0
  prio 5 9
  prio 5 0:2
  prio 5 0:99
  prio 5 3
  prio 5 3:
  prio 5 1:1
  prio 5 2:1
  prio 5 x
  prio 5
  prio
  prio 5 -1
  prio 0 0: 2
  prio 7 0:1 2
  prio 8 0:1 99
  playlistinfo
  prioid 5
  prioid 5 999
  prioid x 1
  prioid 300 1
  prioid 9 @2
  prioid 0 @1 999
  playlistinfo
  random 1
  prioid 200 @2
  play 0
  pause 1
  prioid 201 @3
  status
  prioid 100 @3
  status
  next
  status
  # tags of songs from elsewhere
  addid a.mp3
  addtagid @1 Title x
  addtagid @1 bogus x
  addtagid 999 Title x
  addtagid x Title x
  addtagid @1 Title
  cleartagid @1
  cleartagid @1 Title
  cleartagid @1 bogus
  cleartagid 999
  cleartagid x
  # regular expressions
  find "(Title =~ 'Song [AB]')"
  find "(Title =~ 'song [ab]')"
  search "(Title =~ 'song [ab]')"
  find "(Title !~ 'Song [AB]')"
  find "(Title =~ '')"
  find "(Title =~ '[')"
  find "(Title =~ '(a')"
  find "(Title =~ 'a{1,99999}')"
  find "(Title =~'^Song.A$')"
  find "(any =~ 'ong')"
  find "(file =~ 'sub')"
  find "(base =~ 'sub')"
  find "(Title =~ Song)"
  find "(Genre =~ 'x')"
  find "(Genre !~ 'x')"
  find "(Genre =~ '')"
  find "(Genre =~ '^$')"
  find "(!(Title =~ 'A'))"
  find "(AlbumArtist =~ 'Ünïcode.\\\\(Band')"
  ! mpd's expressions are of bytes: they know capitals of ASCII only
  search "(AlbumArtist =~ 'ünÏCODE.')"
  ! the same; a point is one byte
  find "(AlbumArtist =~ '^.n.code')"
  list Title "(Title =~ '^S')"
  add a.mp3
  add b.mp3
  playlistfind "(Title =~ 'Song [AB]')"
  playlistfind "(Title =~ 'song a')"
  playlistsearch "(Title =~ 'song a')"
  playlistsearch "(Title !~ 'song a')"
  playlistfind "(Genre !~ 'x')"
  playlistfind "(file =~ '^b')"
  playlistfind "(Title =~ '(')"
  # what there is not
  ! one folder, and nothing else to mount
  listmounts
  ! one partition
  newpartition x
  newpartition
  mixrampdb x
  ! songs are not mixed
  mixrampdb -10
  mixrampdb 0
  mixrampdelay x
  mixrampdelay nan
  """#

/// A playlist as somebody may write it: with comments, empty lines, a name that leads nowhere.
let handwrittenPlaylist = """
  #EXTM3U
  # mine
  a.mp3

  missing.mp3
    sub/c.mp3  \r
  b.mp3

  """
