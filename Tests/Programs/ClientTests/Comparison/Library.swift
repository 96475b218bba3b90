/// What is asked of the songs below the home.
let libraryConversation = #"""
  # folders
  lsinfo sub
  lsinfo more
  lsinfo a.mp3
  lsinfo missing
  listall
  listall sub
  listall more
  listall a.mp3
  listall missing
  listall ../sub
  listallinfo
  listallinfo more
  ! the sizes of folders are not told, and names are in order
  listfiles
  # tags
  list Artist
  list AlbumArtist
  list AlbumArtistSort
  list ArtistSort
  list Album
  list Genre
  list Composer
  list Comment
  list Performer
  list Album Artist "Artist A"
  list Album "Artist A"
  list Album group AlbumArtist
  list Album group Artist group Date
  list Title group Album group AlbumArtist
  list Title "(Artist != '')" group Album
  list file
  list file Album "Album X"
  list Artist "(file contains 'b')"
  # counting
  count Artist "Artist A"
  count "(Artist != '')"
  count "(Artist == '')"
  count group Artist
  count group AlbumArtist
  count group Genre
  count Album "Album X" group Artist
  # finding
  find Artist "Artist A"
  find Artist "artist a"
  search Artist "artist a"
  find Artist "Artist A" Title "Song A"
  find "((Artist == 'Artist A') AND (Title == 'Song A'))"
  find "(Artist != 'Artist A')"
  find "(!(Artist == 'Artist A'))"
  find "(Artist == '')"
  find "(Artist contains '')"
  find any "Song A"
  search any song
  search any "STRASSE"
  search any "σίσυφος"
  search any ü
  find any ü
  search Title zzz
  find AlbumArtist "Artist A"
  find AlbumArtist "Ünïcode (Band) \\ 'quoted'"
  find AlbumArtistSort "Artist A"
  find file a.mp3
  find file A.mp3
  search file A.MP3
  search file MORE/
  find filename "it's \"quoted\".mp3"
  find base sub
  find base more
  ! mpd refuses the name of a folder that there is not
  find base mor
  find base a.mp3
  find base ""
  find base sub/
  find modified-since 2021-06-15T12:00:00Z
  find modified-since 2021-06-16
  find modified-since 2030-01-01
  find "(modified-since '2021-06-16')"
  ! numbers are integers of 24 bits for mpd
  find "(AudioFormat =~ '*:f:*')"
  find "(AudioFormat =~ '24000:*:1')"
  find "(AudioFormat =~ '44100:*:*')"
  search any a window 0:2
  search any a window 1:
  search any a window 5:9
  search any a window 1:1
  search any a window 2
  ! mpd does not tell the format of songs that it has sorted
  search Artist a sort Title
  ! mpd does not tell the format of songs that it has sorted
  search Artist a sort -Title
  ! mpd does not tell the format of songs that it has sorted
  search any a sort Track window 0:3
  ! mpd does not tell the format of songs that it has sorted
  search any a sort -Track window 1:3
  ! mpd does not tell the format of songs that it has sorted
  search any a sort Disc
  ! mpd does not tell the format of songs that it has sorted
  search any a sort Artist
  ! mpd does not tell the format of songs that it has sorted
  search any a sort AlbumArtist
  ! mpd does not tell the format of songs that it has sorted
  search any a sort ArtistSort
  ! mpd does not tell the format of songs that it has sorted
  find base more sort -Last-Modified
  # adding
  findadd Artist "Artist A"
  playlistinfo
  searchadd any song sort -Title
  playlist
  searchadd Artist artist position 0
  playlist
  searchadd Artist artist sort Title window 1: position 1
  playlist
  findadd Artist nobody
  findadd Artist "Artist B" position 99
  # pictures beside songs
  albumart a.mp3 0
  albumart more/d.mp3 0
  albumart more/e.mp3 3
  albumart more 0
  albumart more/ 0
  albumart missing.mp3 0
  albumart missing/a.mp3 0
  albumart a.mp3
  albumart a.mp3 x
  albumart more/d.mp3 99999
  readcomments a.mp3
  readcomments missing.mp3
  readcomments
  getfingerprint
  update x y
  """#
