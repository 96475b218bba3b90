/// Filters of songs, said to both servers as `conversation` is. Beside the songs of every hall there are `filteredSongs`.
let filterConversation = #"""
  # expressions
  \#(additions)
  playlistfind "(Title == 'Song A')"
  playlistfind "(title == 'Song A')"
  playlistfind "(Title == 'song a')"
  playlistsearch "(Title == 'song a')"
  playlistsearch "(Title == 'song')"
  playlistsearch "(Title contains 'song')"
  playlistfind "(Title contains 'song')"
  playlistfind "(Title contains 'Song')"
  playlistfind "(Title CONTAINS 'Song')"
  playlistfind "(Title contains  'Song')"
  playlistfind "(Title !contains 'Song')"
  playlistfind "(Title  !CONTAINS 'Song A')"
  playlistfind "(Title != 'Song A')"
  playlistfind "(Title!='Song A')"
  playlistfind "(Title=='Song A')"
  playlistfind "(  Title  ==  'Song A'  )  "
  playlistfind "(Title	==	'Song A')"
  # not and and
  \#(additions)
  playlistfind "(!(Title == 'Song A'))"
  playlistfind "(! (Title == 'Song A') ) "
  playlistfind "(!(!(Title == 'Song A')))"
  playlistfind "((Title == 'Song A'))"
  playlistfind "((Title == 'Song A') )"
  playlistfind "((((Title == 'Song A'))))"
  playlistfind "((!(Title == 'Song A')))"
  playlistfind "((Title == 'Song A') AND (Artist == 'Artist A'))"
  playlistfind "((Title == 'Song A')AND(Artist == 'Artist A'))"
  playlistfind "((Title == 'Song A') AND (Artist == 'Artist B'))"
  playlistfind "((Title contains 'Song') AND (Artist contains 'Artist') AND (Album == 'Album X'))"
  playlistfind "((Title contains 'Song') AND (!(Artist == 'Artist B')) )"
  playlistsearch "((title contains 'SONG') AND (!(artist contains ' b')))"
  # several arguments
  \#(additions)
  playlistfind "(Title == 'Song A')" "(Artist == 'Artist A')"
  playlistfind "(Title == 'Song A')" Artist "Artist A"
  playlistfind "(Title == 'Song A')" Artist "Artist B"
  playlistfind Artist "Artist A" "(Title == 'Song A')"
  playlistfind Artist "Artist A" "(Title == 'Song B')"
  playlistfind Title "(Title == 'x')"
  # quotes
  \#(additions)
  playlistfind "(Title == \"Song A\")"
  playlistfind "(Title == 'Song\\ \\A')"
  playlistfind "(file contains '\"quoted\"')"
  playlistfind "(file == 'it\\'s \\\"quoted\\\".mp3')"
  playlistfind "(file == \"it's \\\"quoted\\\".mp3\")"
  playlistfind "(AlbumArtist contains '\\\\ \\'quoted\\'')"
  playlistfind "(Title == '\#(text(4095))')"
  playlistfind "(Title == '\#(text(4096))')"
  # tags that are not there
  \#(additions)
  playlistfind "(Artist == '')"
  playlistfind "(Artist != '')"
  playlistfind "(Artist contains '')"
  playlistfind "(Artist !contains '')"
  playlistfind "(!(Artist == ''))"
  playlistfind "(MUSICBRAINZ_ARTISTID == 'x')"
  playlistfind "(MUSICBRAINZ_ARTISTID == '')"
  playlistfind "(Performer == 'Artist A')"
  playlistfind "(Track == '2')"
  playlistfind "(Composer == 'Gluck')"
  playlistfind Artist ""
  playlistsearch Artist ""
  # any tag
  \#(additions)
  playlistfind "(any == 'Song A')"
  playlistfind "(ANY == 'Song A')"
  playlistfind "(any contains 'Song')"
  playlistfind "(any != 'Song A')"
  playlistfind "(any !contains 'Song A')"
  playlistfind "(any != '')"
  playlistfind "(any == '')"
  playlistfind "(any contains '')"
  playlistfind "(any == 'a.mp3')"
  playlistfind any ""
  playlistsearch any ""
  # tags that stand for others
  \#(additions)
  playlistfind "(AlbumArtist == 'Artist A')"
  playlistfind "(AlbumArtist != 'Artist A')"
  playlistfind "(AlbumArtist !contains 'Artist A')"
  playlistfind "(AlbumArtist contains '(Band)')"
  playlistfind "(AlbumArtist == 'ΣΊΣΥΦΟΣ')"
  playlistfind "(AlbumArtist == '')"
  playlistfind "(AlbumArtist != '')"
  playlistfind "(ArtistSort == 'Artist A')"
  playlistfind "(ArtistSort == 'ΣΊΣΥΦΟΣ')"
  playlistfind "(ArtistSort == 'Sisyphos')"
  playlistfind "(ArtistSort == '')"
  playlistfind "(AlbumSort == 'Album X')"
  playlistfind "(AlbumArtistSort == 'Artist A')"
  playlistfind "(AlbumArtistSort contains '(Band)')"
  playlistfind "(AlbumArtistSort == 'Sisyphos')"
  playlistfind "(AlbumArtistSort contains '')"
  playlistfind "(ComposerSort == 'Gluck')"
  playlistfind AlbumArtist "Artist A"
  playlistsearch AlbumArtist artist
  playlistfind AlbumArtist ""
  # capitals and small letters
  \#(additions)
  playlistsearch "(Title == 'STRASSE NACH ØST')"
  playlistsearch "(Title == 'straße nach øst')"
  playlistfind "(Title == 'straße nach øst')"
  playlistsearch "(Title contains 'SS')"
  playlistsearch "(Title contains 'Ost')"
  playlistsearch "(AlbumArtist contains 'ünïcode')"
  playlistsearch "(AlbumArtist contains 'ÜNÏ')"
  playlistsearch "(AlbumArtist contains 'unicode')"
  playlistsearch "(Artist == 'σίσυφος')"
  playlistsearch "(Artist == 'σίσυφοσ')"
  playlistsearch "(Artist contains 'σισ')"
  playlistsearch "(Artist !contains 'ΣΊΣ')"
  playlistsearch "(Composer == 'ﬁn iıiIİ')"
  playlistsearch "(Composer contains 'fin')"
  playlistsearch "(Composer contains 'iıi')"
  playlistsearch "(Composer contains 'ıı')"
  playlistsearch Title "STRASSE"
  playlistsearch Title "ſtraße"
  playlistsearch Title "ÅST"
  # names and folders
  \#(additions)
  playlistfind "(file == 'a.mp3')"
  playlistfind "(filename == 'a.mp3')"
  playlistfind "(FILE == 'a.mp3')"
  playlistfind "(file != 'a.mp3')"
  playlistfind "(file !contains 'a')"
  playlistfind "(file contains 'SUB')"
  playlistsearch "(file contains 'SUB')"
  playlistsearch "(file == 'A.MP3')"
  playlistfind file ""
  playlistsearch file ""
  playlistfind "(base 'sub')"
  playlistfind "(base 'sub/')"
  playlistfind "(base 'sub/c.mp3')"
  playlistfind "(base 'su')"
  playlistfind "(base '')"
  playlistfind "(base '/')"
  playlistfind "(base '/sub')"
  playlistfind "(base '../x')"
  playlistsearch "(base 'SUB')"
  playlistfind base sub
  playlistfind base nowhere
  # dates; more/d.mp3 is of the 15th of June 2021, at noon
  \#(additions)
  playlistfind "(modified-since '2021-06-15T12:00:00Z')"
  playlistfind "(!(modified-since '2021-06-15T12:00:00Z'))"
  playlistfind "(!(modified-since '2021-06-15T12:00:01Z'))"
  playlistfind "(!(modified-since '2021-06-15T12:00:00'))"
  playlistfind "(!(modified-since '2021-06-15T12:00:01'))"
  playlistfind "(!(modified-since '2021-06-15T08:00:01'))"
  playlistfind "(!(modified-since '2021-06-15T14:00:00+02:00'))"
  playlistfind "(!(modified-since '2021-06-15T14:00:01+02:00'))"
  playlistfind "(!(modified-since '2021-06-15T14:00:01+0200'))"
  playlistfind "(!(modified-since '2021-06-15T14:00:01+02'))"
  playlistfind "(!(modified-since '2021-06-15T10:00:01-02'))"
  playlistfind "(!(modified-since '2021-06-15'))"
  playlistfind "(!(modified-since '2021-06-16'))"
  playlistfind "(!(modified-since '2021-06'))"
  playlistfind "(!(modified-since '2021-07'))"
  playlistfind "(!(modified-since '20210616'))"
  playlistfind "(!(modified-since '20210616T000000Z'))"
  playlistfind "(!(modified-since '2021-06-31'))"
  playlistfind "(!(modified-since '2021-02-31'))"
  playlistfind "(!(modified-since '2021-06-15T12:00'))"
  playlistfind "(!(modified-since '2021-06-15T12:01'))"
  playlistfind "(!(modified-since '2021-06-15T1201'))"
  playlistfind "(!(modified-since '2021-06-15T120001'))"
  playlistfind "(!(modified-since '2021-06-15T12:00:60Z'))"
  playlistfind "(!(modified-since '2021-06-15T12'))"
  playlistfind "(!(modified-since '2021-06-15T13'))"
  playlistfind "(!(modified-since '2021-06-15T13+13:00'))"
  playlistfind "(!(modified-since '2021-06-15Z'))"
  playlistfind "(!(modified-since '2021-06-15T1:1:1'))"
  playlistfind "(!(modified-since '2021-06-15T1:1'))"
  playlistfind "(!(modified-since '2021-06-15T120'))"
  playlistfind "(!(modified-since '2021-06-15T12000'))"
  playlistfind "(!(modified-since '2021-6-16'))"
  playlistfind "(!(modified-since '21-6-16'))"
  playlistfind "(!(modified-since '2021'))"
  playlistfind "(!(modified-since '2021-6'))"
  playlistfind "(!(modified-since '202106'))"
  playlistfind "(!(modified-since '2021061'))"
  playlistfind "(modified-since '0')"
  playlistfind "(modified-since '1900000000')"
  playlistfind "(modified-since '-1')"
  playlistfind "(modified-since '+1')"
  playlistfind "(modified-since ' 1')"
  playlistfind "(modified-since '2020-01-01T10:00:61Z')"
  playlistfind "(modified-since '20211399')"
  playlistfind "(modified-since '99999999')"
  playlistfind "(modified-since '20300101')"
  playlistfind "(modified-since '2030010')"
  playlistfind "(modified-since '+2030010')"
  playlistfind modified-since 2021-06-16
  playlistfind modified-since 5
  ! in mpd a number beyond 64 bits is a date before 1970
  playlistfind "(modified-since '99999999999999999999')"
  ! mpd counts nanoseconds in 64 bits, and only from 1677 on
  playlistfind "(modified-since '1000-01-01')"
  # formats
  \#(additions)
  playlistfind "(AudioFormat == '22050:24:2')"
  playlistfind "(AudioFormat == '44100:8:2')"
  playlistfind "(AudioFormat == '44100:24:2')"
  playlistfind "(AudioFormat == 'dsd64:1')"
  playlistfind "(AudioFormat == '44100:f:2')"
  playlistfind "(AudioFormat == '44100:24_3:2')"
  playlistfind "(AudioFormat == '44100:dsd:2')"
  playlistfind "(AudioFormat == '44100:16:8')"
  playlistfind "(AudioFormat == '99999999:16:2')"
  playlistfind "(AudioFormat == '+44100: 24:+2')"
  playlistfind "(AudioFormat =~ '22050:*:2')"
  playlistfind "(AudioFormat =~ '*:8:*')"
  playlistfind "(AudioFormat =~ 'dsd64:*')"
  playlistfind "(audioformat =~ '48000:*:1')"
  ! mpd forgets the format of the songs in its queue
  playlistfind "(AudioFormat =~ '*:*:1')"
  ! mpd forgets the format of the songs in its queue
  playlistfind "(AudioFormat =~ '*:f:*')"
  ! mpd looks for a tag that there is not
  playlistfind AudioFormat 48000:24:2
  # malformed expressions
  \#(additions)
  playlistfind "\#(nested(64))"
  ! mpd goes as deep as it can, and dies of 7000 parentheses
  playlistfind "\#(nested(65))"
  ! mpd takes any byte for the parenthesis behind AND
  playlistfind "((Title == 'Song A') AND Artist == 'Artist A')"
  ! the same
  playlistfind "((Title == 'Song A') AND)"
  ! the same
  playlistfind "((Title == 'Song A') AND"
  ! the same
  playlistfind "((Title == 'Song A') AND !(Artist == 'Artist A'))"
  ! mpd forgets the blanks behind some parentheses
  playlistfind "(((Title == 'Song A')) AND (Artist == 'Artist A'))"
  ! the same
  playlistfind "((((Title == 'Song A') ) ) )"
  ! the same
  playlistfind "((Title == 'Song A')) "
  playlistfind "(Title =~ 'Song .')"
  playlistfind "(Title !~ 'Song .')"
  # what a database would be asked
  find "(Title == 'nothing')"
  find Title nothing
  find "(Title contains 'nothing')" sort Title
  find "(Title contains 'nothing')" sort -Title
  find "(Title contains 'nothing')" sort title
  find "(Title contains 'nothing')" sort Last-Modified
  find "(Title contains 'nothing')" sort last-modified
  find "(Title contains 'nothing')" sort -Last-Modified
  find "(Title contains 'nothing')" window 0:1
  find "(Title contains 'nothing')" window 1:
  find "(Title contains 'nothing')" window 1
  find "(Title contains 'nothing')" window -1
  find "(Title contains 'nothing')" sort Title window 0:1
  find Title nothing sort Title
  search "(Title contains 'nothing')" sort -Title window 0:1
  count "(Title == 'nothing')"
  findadd "(Title == 'nothing')"
  findadd "(Title == 'nothing')" sort Title
  findadd "(Title == 'nothing')" window 0:1
  findadd "(Title == 'nothing')" position 0
  findadd "(Title == 'nothing')" sort Title window 0:1 position 0
  searchadd "(Title == 'nothing')" position 0
  list Artist "(Title == 'nothing')"
  list Artist Title nothing
  list Album nothing
  list album nothing
  list Artist "(Title == 'nothing')" group Album
  list Album Artist nothing
  list file "(Title == 'nothing')"
  list file Title nothing
  findadd "(Title == 'nothing')" position 0
  """#

/// The songs for it: their names and LAME's options for their tags.
let filteredSongs: [(name: String, tags: [String])] = [
  (
    "more/d.mp3",
    [
      "--tt", "Straße nach Øst", "--ta", "ΣΊΣΥΦΟΣ", "--tv", "TPE2=Ünïcode (Band) \\ 'quoted'", "--tv",
      "TCOM=Gluck",
    ]
  ),
  ("more/e.mp3", ["--tl", "Album Y", "--tv", "TCOM=ﬁn Iıİi"]),
]

private let additions = #"""
  add a.mp3
  add b.mp3
  add "it's \"quoted\".mp3"
  add sub/c.mp3
  add more/d.mp3
  add more/e.mp3
  """#

private func text(_ length: Int) -> String { String(repeating: "x", count: length) }

private func nested(_ depth: Int) -> String {
  String(repeating: "(", count: depth) + "Title == 'Song A'" + String(repeating: ")", count: depth)
}
