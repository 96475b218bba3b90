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
  playlistfind (Title==Song)
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
  playlistfind "(Title == 'Song A')" Artist
  playlistfind Title "(Title == 'x')"
  playlistfind Title "Song A" "("
  playlistfind ""
  playlistfind "" x
  playlistfind "(Title == 'Song A')" sort Title
  playlistfind "(Title == 'Song A')" window 0:1
  playlistfind window 0:1
  playlistsearch bogus "(Title == 'x')"
  # quotes
  \#(additions)
  playlistfind "(Title == \"Song A\")"
  playlistfind "(Title == \"Song A')"
  playlistfind "(Title == 'Song A)"
  playlistfind "(Title == 'Song\\ \\A')"
  playlistfind "(Title == 'Song A\\"
  playlistfind "(Title == 'Song A\\'"
  playlistfind "(file contains '\"quoted\"')"
  playlistfind "(file == 'it\\'s \\\"quoted\\\".mp3')"
  playlistfind "(file == \"it's \\\"quoted\\\".mp3\")"
  playlistfind "(file == 'it\\\\'s \"quoted\".mp3')"
  playlistfind "(AlbumArtist contains '\\\\ \\'quoted\\'')"
  playlistfind "(Title == Song)"
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
  playlistfind "(BASE 'sub')"
  playlistfind "(base == 'sub')"
  playlistfind "(base sub)"
  playlistfind "(base 'sub'"
  playlistfind "(base 'sub' x)"
  playlistfind "(base)"
  playlistfind base sub
  playlistfind base nowhere
  playlistfind base /sub
  playlistfind base ../sub
  playlistfind base sub/
  playlistfind base sub//c.mp3
  playlistfind base sub/./c.mp3
  playlistfind base ""
  playlistfind BASE sub
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
  playlistfind "(!(modified-since '2021-05-32'))"
  playlistfind "(!(modified-since '2021-06-31'))"
  playlistfind "(!(modified-since '2021-02-31'))"
  playlistfind "(!(modified-since '2021-06-15T12:00'))"
  playlistfind "(!(modified-since '2021-06-15T12:01'))"
  playlistfind "(!(modified-since '2021-06-15T1201'))"
  playlistfind "(!(modified-since '2021-06-15T120001'))"
  playlistfind "(!(modified-since '2021-06-15T12:00:60Z'))"
  playlistfind "(!(modified-since '2021-06-15T12'))"
  playlistfind "(!(modified-since '2021-06-15T13'))"
  playlistfind "(!(modified-since '2021-06-15T13+02:99'))"
  playlistfind "(!(modified-since '2021-06-15T13+02:60'))"
  playlistfind "(!(modified-since '2021-06-15T13+14:00'))"
  playlistfind "(!(modified-since '2021-06-15T13+13:00'))"
  playlistfind "(!(modified-since '2021-06-15T13+24:00'))"
  playlistfind "(!(modified-since '2021-06-15T13+x'))"
  playlistfind "(!(modified-since '2021-06-15T13+'))"
  playlistfind "(!(modified-since '2021-06-15T13+2'))"
  playlistfind "(!(modified-since '2021-06-15T13-02:0x'))"
  playlistfind "(!(modified-since '2021-06-15T13+02x'))"
  playlistfind "(!(modified-since '2021-06-15T13+02:00x'))"
  playlistfind "(!(modified-since '2021-06-15T13 +02:00'))"
  playlistfind "(!(modified-since '2021-06-15Z'))"
  playlistfind "(!(modified-since '2021-06-15T1:1:1'))"
  playlistfind "(!(modified-since '2021-06-15T1:1'))"
  playlistfind "(!(modified-since '2021-06-15T120'))"
  playlistfind "(!(modified-since '2021-06-15T12000'))"
  playlistfind "(!(modified-since '2021-06-15T1200001'))"
  playlistfind "(!(modified-since '2021-06-15T12:0001'))"
  playlistfind "(!(modified-since '2021-6-16'))"
  playlistfind "(!(modified-since '21-6-16'))"
  playlistfind "(!(modified-since '02021-06-16'))"
  playlistfind "(!(modified-since '2021--6-16'))"
  playlistfind "(!(modified-since '2021-00-16'))"
  playlistfind "(!(modified-since '2021-01-00'))"
  playlistfind "(!(modified-since '2021'))"
  playlistfind "(!(modified-since '2021-'))"
  playlistfind "(!(modified-since '2021-6'))"
  playlistfind "(!(modified-since '2021-06-'))"
  playlistfind "(!(modified-since '202106'))"
  playlistfind "(!(modified-since '2021061'))"
  playlistfind "(!(modified-since '2021061x'))"
  playlistfind "(!(modified-since '2021-06-16t13:00'))"
  playlistfind "(modified-since '2021-06-15T12:00:00.000Z')"
  playlistfind "(modified-since '0')"
  playlistfind "(modified-since '1900000000')"
  playlistfind "(modified-since '-1')"
  playlistfind "(modified-since '+1')"
  playlistfind "(modified-since ' 1')"
  playlistfind "(modified-since 'x')"
  playlistfind "(modified-since '')"
  playlistfind "(modified-since '2020-13-01')"
  playlistfind "(modified-since '2020-02-32')"
  playlistfind "(modified-since '2020-01-01 00:00:00')"
  playlistfind "(modified-since '2020-01-01T')"
  playlistfind "(modified-since '2020-01-01T25:00:00Z')"
  playlistfind "(modified-since '2020-01-01T24:00:00Z')"
  playlistfind "(modified-since '2020-01-01T10:60:00Z')"
  playlistfind "(modified-since '2020-01-01T10:00:61Z')"
  playlistfind "(modified-since '2020-01-01T10:00:62Z')"
  playlistfind "(modified-since '2020-01-01x')"
  playlistfind "(modified-since '99999-01-01')"
  playlistfind "(modified-since '2020-01-01T10:00:00z')"
  playlistfind "(modified-since '2020-01-01T10:00:00Zx')"
  playlistfind "(modified-since '2020-01-01T10:00:00+02:0')"
  playlistfind "(modified-since '2020-01-01T10:00:00+99:00')"
  playlistfind "(modified-since '20211399')"
  playlistfind "(modified-since '99999999')"
  playlistfind "(modified-since '20300101')"
  playlistfind "(modified-since '2030010')"
  playlistfind "(modified-since '+2030010')"
  playlistfind "(modified-since '5'"
  playlistfind "(modified-since 5)"
  playlistfind "(modified-since == '5')"
  playlistfind "(Modified-Since '5')"
  playlistfind "(modified-since)"
  playlistfind modified-since 2021-06-16
  playlistfind modified-since 5
  playlistfind modified-since x
  playlistfind MODIFIED-SINCE 5
  ! in mpd a number beyond 64 bits is a date before 1970
  playlistfind "(modified-since '99999999999999999999')"
  ! mpd counts nanoseconds in 64 bits, and only from 1677 on
  playlistfind "(modified-since '1000-01-01')"
  # formats
  \#(additions)
  playlistfind "(AudioFormat == '22050:24:2')"
  playlistfind "(AudioFormat == '22050:*:2')"
  playlistfind "(AudioFormat == '*:24:2')"
  playlistfind "(AudioFormat == '*:*:*')"
  playlistfind "(AudioFormat == '44100:8:2')"
  playlistfind "(AudioFormat == '44100:24:2')"
  playlistfind "(AudioFormat == 'dsd64:1')"
  playlistfind "(AudioFormat == 'dsd64')"
  playlistfind "(AudioFormat == 'dsd64:*')"
  playlistfind "(AudioFormat == 'dsd:1')"
  playlistfind "(AudioFormat == 'dsd0:1')"
  playlistfind "(AudioFormat == 'dsdx:1')"
  playlistfind "(AudioFormat == 'dsd64:0')"
  playlistfind "(AudioFormat == 'dsd64:1x')"
  playlistfind "(AudioFormat == 'dsd64::1')"
  playlistfind "(AudioFormat == 'DSD64:1')"
  playlistfind "(AudioFormat == '0:16:2')"
  playlistfind "(AudioFormat == 'x')"
  playlistfind "(AudioFormat == '')"
  playlistfind "(AudioFormat == '44100')"
  playlistfind "(AudioFormat == '44100:')"
  playlistfind "(AudioFormat == '44100:16')"
  playlistfind "(AudioFormat == '44100:16:')"
  playlistfind "(AudioFormat == '44100:16:2:1')"
  playlistfind "(AudioFormat == '44100:16:2x')"
  playlistfind "(AudioFormat == '44100:16:x')"
  playlistfind "(AudioFormat == '44100:17:2')"
  playlistfind "(AudioFormat == '44100::2')"
  playlistfind "(AudioFormat == '44100:fx:1')"
  playlistfind "(AudioFormat == '44100:F:1')"
  playlistfind "(AudioFormat == '44100:f:2')"
  playlistfind "(AudioFormat == '44100:24_3:2')"
  playlistfind "(AudioFormat == '44100:24_:2')"
  playlistfind "(AudioFormat == '44100:dsd:2')"
  playlistfind "(AudioFormat == '44100:16:0')"
  playlistfind "(AudioFormat == '44100:16:8')"
  playlistfind "(AudioFormat == '44100:16:9')"
  playlistfind "(AudioFormat == '44100x:16:2')"
  playlistfind "(AudioFormat == '44100.5:16:2')"
  playlistfind "(AudioFormat == '*x:*:*')"
  playlistfind "(AudioFormat == '99999999:16:2')"
  playlistfind "(AudioFormat == ':')"
  playlistfind "(AudioFormat == '+44100: 24:+2')"
  playlistfind "(AudioFormat =~ '22050:*:2')"
  playlistfind "(AudioFormat =~ '*:8:*')"
  playlistfind "(AudioFormat =~ 'x:*:*')"
  playlistfind "(AudioFormat =~ '*:x:*')"
  playlistfind "(AudioFormat =~ '*:*:x')"
  playlistfind "(AudioFormat =~ '*:*:0')"
  playlistfind "(AudioFormat =~ '*x:*:*')"
  playlistfind "(AudioFormat =~ '*:*x:*')"
  playlistfind "(AudioFormat =~ '*:*:*x')"
  playlistfind "(AudioFormat =~ '*:*')"
  playlistfind "(AudioFormat =~ '*')"
  playlistfind "(AudioFormat =~ '')"
  playlistfind "(AudioFormat =~ '44100:*')"
  playlistfind "(AudioFormat =~ 'dsd64:*')"
  playlistfind "(AudioFormat != '44100:16:2')"
  playlistfind "(AudioFormat contains '44100:16:2')"
  playlistfind "(AudioFormat = '44100:16:2')"
  playlistfind "(AudioFormat)"
  playlistfind "(AudioFormat ==)"
  playlistfind "(AudioFormat =~ 24000)"
  playlistfind "(AudioFormat =~ '48000:*:1'"
  playlistfind "(audioformat =~ '48000:*:1')"
  ! mpd forgets the format of the songs in its queue
  playlistfind "(AudioFormat =~ '*:*:1')"
  ! mpd forgets the format of the songs in its queue
  playlistfind "(AudioFormat =~ '*:f:*')"
  ! mpd looks for a tag that there is not
  playlistfind AudioFormat 48000:24:2
  # malformed expressions
  \#(additions)
  playlistfind "("
  playlistfind "( )"
  playlistfind "(!"
  playlistfind "(! x"
  playlistfind "(!())"
  playlistfind "(!(Title"
  playlistfind "(!(Title == 'Song A')"
  playlistfind "(!)"
  playlistfind "(!Title == 'Song A')"
  playlistfind "(())"
  playlistfind "((Title == 'Song A')"
  playlistfind "((Title == 'Song A') & (Artist == 'Artist A'))"
  playlistfind "((Title == 'Song A') AND (Artist == 'Artist A')"
  playlistfind "((Title == 'Song A') AND (Artist == 'Artist A') (Album == 'Album X'))"
  playlistfind "((Title == 'Song A') ANDX (Artist == 'Artist A'))"
  playlistfind "((Title == 'Song A') OR (Artist == 'Artist A'))"
  playlistfind "((Title == 'Song A') and (Artist == 'Artist A'))"
  playlistfind "((Title == 'Song A')) AND (Artist == 'Artist A')"
  playlistfind "((Title == 'Song A'))x"
  playlistfind "((Title == 'Song A')x)"
  playlistfind "()"
  playlistfind "(-x == 'a')"
  playlistfind "(1x == 'x')"
  playlistfind "(== 'x')"
  playlistfind "(T1 == 'x')"
  playlistfind "(Title"
  playlistfind "(Title ! 'Song A')"
  playlistfind "(Title ! contains 'Song A')"
  playlistfind "(Title !'x')"
  playlistfind "(Title !)"
  playlistfind "(Title !=)"
  playlistfind "(Title !contains'Song A')"
  playlistfind "(Title !starts_with 'Song')"
  playlistfind "(Title 'x')"
  playlistfind "(Title < 'Song A')"
  playlistfind "(Title = 'Song A')"
  playlistfind "(Title =)"
  playlistfind "(Title =="
  playlistfind "(Title == "
  playlistfind "(Title == 'Song A'"
  playlistfind "(Title == 'Song A' 'x')"
  playlistfind "(Title == 'Song A')(Artist == 'Artist A')"
  playlistfind "(Title == 'Song A')x"
  playlistfind "(Title == 'Song A'x)"
  playlistfind "(Title contains )"
  playlistfind "(Title contains'Song')"
  playlistfind "(Title contains)"
  playlistfind "(Title eq 'Song A')"
  playlistfind "(Title is 'Song A')"
  playlistfind "(Title starts_with 'Song')"
  playlistfind "(Title)"
  playlistfind "(Title-x == 'Song A')"
  playlistfind "(Title== 'Song A' AND Artist == 'Artist A')"
  playlistfind "(Title_x == 'Song A')"
  playlistfind "(_x == 'a')"
  playlistfind "(bogus"
  playlistfind "(bogus == 'x')"
  playlistfind "(file)"
  playlistfind "(prio == 1"
  playlistfind "(prio >= 1)"
  playlistfind "(x-y"
  playlistfind "  (Title == 'Song A')"
  playlistfind (
  playlistfind !
  playlistfind prio 1
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
  playlistfind "(Title ~ 'Song .')"
  # what a database would be asked
  find "(Title == 'nothing')"
  find Title nothing
  find "(Title"
  find Title
  find bogus x
  find "(Title contains 'nothing')" sort Title
  find "(Title contains 'nothing')" sort -Title
  find "(Title contains 'nothing')" sort title
  find "(Title contains 'nothing')" sort bogus
  find "(Title contains 'nothing')" sort -bogus
  find "(Title contains 'nothing')" sort Last-Modified
  find "(Title contains 'nothing')" sort last-modified
  find "(Title contains 'nothing')" sort -Last-Modified
  find "(Title contains 'nothing')" sort ""
  find "(Title contains 'nothing')" sort -
  find "(Title contains 'nothing')" sort
  find "(Title contains 'nothing')" sort Prio
  find "(Title contains 'nothing')" sort file
  find "(Title contains 'nothing')" sort any
  find "(Title contains 'nothing')" Sort Title
  find "(Title contains 'nothing')" window 0:1
  find "(Title contains 'nothing')" window 1:
  find "(Title contains 'nothing')" window 1
  find "(Title contains 'nothing')" window -1
  find "(Title contains 'nothing')" window x
  find "(Title contains 'nothing')" window 2:1
  find "(Title contains 'nothing')" window -1:2
  find "(Title contains 'nothing')" window 0:99999999999
  find "(Title contains 'nothing')" window 0:1x
  find "(Title contains 'nothing')" window ""
  find "(Title contains 'nothing')" window
  find "(Title contains 'nothing')" sort Title window 0:1
  find "(Title contains 'nothing')" window 0:1 sort Title
  find "(Title contains 'nothing')" sort bogus window x
  find "(Title" sort bogus
  find "(Title" window x
  find "(Title" sort Title window 0:1
  find sort Title
  find window 0:1
  find sort Title window 0:1
  find Title nothing sort Title
  find Title sort Title
  find position 0
  find "(Title contains 'nothing')" position 0
  find "(Title contains 'nothing')" group Artist
  search "(Title contains 'nothing')" sort -Title window 0:1
  search "(Title contains 'nothing')" sort bogus
  search
  find
  count "(Title == 'nothing')"
  count "(Title contains 'nothing')" group bogus
  count "(Title contains 'nothing')" group
  count group
  count "(Title contains 'nothing')" sort Artist
  count "(Title contains 'nothing')" window 0:1
  count "(Title" group bogus
  count bogus x
  count Title
  count Title nothing group Artist group Album
  count
  findadd "(Title == 'nothing')"
  findadd "(Title"
  findadd Title
  findadd "(Title == 'nothing')" sort Title
  findadd "(Title == 'nothing')" sort bogus
  findadd "(Title == 'nothing')" window 0:1
  findadd "(Title == 'nothing')" window x
  findadd "(Title == 'nothing')" position 0
  findadd "(Title == 'nothing')" position x
  findadd "(Title == 'nothing')" sort Title window 0:1 position 0
  findadd "(Title == 'nothing')" position 0 sort Title
  findadd "(Title" position x
  findadd position 0
  findadd
  searchadd "(Title == 'nothing')" position 0
  searchadd bogus x
  searchadd
  list bogus
  list any
  list base
  list Artist "(Title == 'nothing')"
  list Artist "(Title"
  list Artist Title nothing
  list Artist Title
  list Artist bogus x
  list Album nothing
  list album nothing
  list Artist nothing
  list Title "x"
  list Artist group bogus
  list Artist group
  list Artist group Artist
  list Artist group Album group Album
  list Artist "(Title == 'nothing')" group Album
  list Artist "(Title == 'nothing')" group bogus
  list Artist "(Title" group bogus
  list Artist "(Title == 'nothing')" sort Title
  list Artist "(Title == 'nothing')" window 0:1
  list Album Artist nothing
  list Album nothing group Date
  list file "(Title == 'nothing')"
  list file group Album
  list file Title nothing
  list modified-since
  list AudioFormat
  list ""
  list
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
