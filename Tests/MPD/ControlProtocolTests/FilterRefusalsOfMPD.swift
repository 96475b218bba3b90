// The left side was sent to mpd 0.23.12, the right side is what it answered.
let filterRefusalsOfMPD: [(String, String)] = [
  (#"playlistfind (Title==Song)"#, #"ACK [2@0] {playlistfind} Quoted string expected"#),
  (
    #"playlistfind "(Title == 'Song A')" Artist"#,
    #"ACK [2@0] {playlistfind} Incorrect number of filter arguments"#
  ),
  (#"playlistfind Title "Song A" "(""#, #"ACK [2@0] {playlistfind} Word expected"#),
  (#"playlistfind """#, #"ACK [2@0] {playlistfind} Incorrect number of filter arguments"#),
  (#"playlistfind "" x"#, #"ACK [2@0] {playlistfind} Unknown filter type"#),
  (#"playlistfind "(Title == 'Song A')" sort Title"#, #"ACK [2@0] {playlistfind} Unknown filter type"#),
  (#"playlistfind "(Title == 'Song A')" window 0:1"#, #"ACK [2@0] {playlistfind} Unknown filter type"#),
  (#"playlistfind window 0:1"#, #"ACK [2@0] {playlistfind} Unknown filter type"#),
  (#"playlistsearch bogus "(Title == 'x')""#, #"ACK [2@0] {playlistsearch} Unknown filter type"#),
  (#"playlistfind "(Title == \"Song A')""#, #"ACK [2@0] {playlistfind} Closing quote not found"#),
  (#"playlistfind "(Title == 'Song A)""#, #"ACK [2@0] {playlistfind} Closing quote not found"#),
  (#"playlistfind "(Title == 'Song A\\""#, #"ACK [2@0] {playlistfind} Closing quote not found"#),
  (#"playlistfind "(Title == 'Song A\\'""#, #"ACK [2@0] {playlistfind} Closing quote not found"#),
  (#"playlistfind "(file == 'it\\\\'s \"quoted\".mp3')""#, #"ACK [2@0] {playlistfind} ')' expected"#),
  (#"playlistfind "(Title == Song)""#, #"ACK [2@0] {playlistfind} Quoted string expected"#),
  (#"playlistfind "(BASE 'sub')""#, #"ACK [2@0] {playlistfind} Unknown filter type: BASE"#),
  (#"playlistfind "(base == 'sub')""#, #"ACK [2@0] {playlistfind} Quoted string expected"#),
  (#"playlistfind "(base sub)""#, #"ACK [2@0] {playlistfind} Quoted string expected"#),
  (#"playlistfind "(base 'sub'""#, #"ACK [2@0] {playlistfind} ')' expected"#),
  (#"playlistfind "(base 'sub' x)""#, #"ACK [2@0] {playlistfind} ')' expected"#),
  (#"playlistfind "(base)""#, #"ACK [2@0] {playlistfind} Quoted string expected"#),
  (#"playlistfind base /sub"#, #"ACK [2@0] {playlistfind} Bad URI"#),
  (#"playlistfind base ../sub"#, #"ACK [2@0] {playlistfind} Bad URI"#),
  (#"playlistfind base sub/"#, #"ACK [2@0] {playlistfind} Bad URI"#),
  (#"playlistfind base sub//c.mp3"#, #"ACK [2@0] {playlistfind} Bad URI"#),
  (#"playlistfind base sub/./c.mp3"#, #"ACK [2@0] {playlistfind} Bad URI"#),
  (#"playlistfind base """#, #"ACK [2@0] {playlistfind} Bad URI"#),
  (#"playlistfind BASE sub"#, #"ACK [2@0] {playlistfind} Unknown filter type"#),
  (#"playlistfind "(!(modified-since '2021-05-32'))""#, #"ACK [2@0] {playlistfind} Failed to parse date"#),
  (
    #"playlistfind "(!(modified-since '2021-06-15T13+02:99'))""#,
    #"ACK [2@0] {playlistfind} Time offset minutes out of range"#
  ),
  (
    #"playlistfind "(!(modified-since '2021-06-15T13+02:60'))""#,
    #"ACK [2@0] {playlistfind} Time offset minutes out of range"#
  ),
  (
    #"playlistfind "(!(modified-since '2021-06-15T13+14:00'))""#,
    #"ACK [2@0] {playlistfind} Time offset hours out of range"#
  ),
  (
    #"playlistfind "(!(modified-since '2021-06-15T13+24:00'))""#,
    #"ACK [2@0] {playlistfind} Time offset hours out of range"#
  ),
  (
    #"playlistfind "(!(modified-since '2021-06-15T13+x'))""#,
    #"ACK [2@0] {playlistfind} Failed to parse time zone offset"#
  ),
  (
    #"playlistfind "(!(modified-since '2021-06-15T13+'))""#,
    #"ACK [2@0] {playlistfind} Failed to parse time zone offset"#
  ),
  (
    #"playlistfind "(!(modified-since '2021-06-15T13+2'))""#,
    #"ACK [2@0] {playlistfind} Failed to parse time zone offset"#
  ),
  (
    #"playlistfind "(!(modified-since '2021-06-15T13-02:0x'))""#,
    #"ACK [2@0] {playlistfind} Failed to parse time zone offset"#
  ),
  (
    #"playlistfind "(!(modified-since '2021-06-15T13+02x'))""#,
    #"ACK [2@0] {playlistfind} Garbage at end of time stamp"#
  ),
  (
    #"playlistfind "(!(modified-since '2021-06-15T13+02:00x'))""#,
    #"ACK [2@0] {playlistfind} Garbage at end of time stamp"#
  ),
  (
    #"playlistfind "(!(modified-since '2021-06-15T13 +02:00'))""#,
    #"ACK [2@0] {playlistfind} Garbage at end of time stamp"#
  ),
  (
    #"playlistfind "(!(modified-since '2021-06-15T1200001'))""#,
    #"ACK [2@0] {playlistfind} Garbage at end of time stamp"#
  ),
  (
    #"playlistfind "(!(modified-since '2021-06-15T12:0001'))""#,
    #"ACK [2@0] {playlistfind} Garbage at end of time stamp"#
  ),
  (#"playlistfind "(!(modified-since '02021-06-16'))""#, #"ACK [2@0] {playlistfind} Failed to parse date"#),
  (#"playlistfind "(!(modified-since '2021--6-16'))""#, #"ACK [2@0] {playlistfind} Failed to parse date"#),
  (#"playlistfind "(!(modified-since '2021-00-16'))""#, #"ACK [2@0] {playlistfind} Failed to parse date"#),
  (#"playlistfind "(!(modified-since '2021-01-00'))""#, #"ACK [2@0] {playlistfind} Failed to parse date"#),
  (#"playlistfind "(!(modified-since '2021-'))""#, #"ACK [2@0] {playlistfind} Failed to parse date"#),
  (#"playlistfind "(!(modified-since '2021-06-'))""#, #"ACK [2@0] {playlistfind} Failed to parse date"#),
  (
    #"playlistfind "(!(modified-since '2021061x'))""#,
    #"ACK [2@0] {playlistfind} Garbage at end of time stamp"#
  ),
  (
    #"playlistfind "(!(modified-since '2021-06-16t13:00'))""#,
    #"ACK [2@0] {playlistfind} Garbage at end of time stamp"#
  ),
  (
    #"playlistfind "(modified-since '2021-06-15T12:00:00.000Z')""#,
    #"ACK [2@0] {playlistfind} Garbage at end of time stamp"#
  ),
  (#"playlistfind "(modified-since 'x')""#, #"ACK [2@0] {playlistfind} Failed to parse date"#),
  (#"playlistfind "(modified-since '')""#, #"ACK [2@0] {playlistfind} Failed to parse date"#),
  (#"playlistfind "(modified-since '2020-13-01')""#, #"ACK [2@0] {playlistfind} Failed to parse date"#),
  (#"playlistfind "(modified-since '2020-02-32')""#, #"ACK [2@0] {playlistfind} Failed to parse date"#),
  (
    #"playlistfind "(modified-since '2020-01-01 00:00:00')""#,
    #"ACK [2@0] {playlistfind} Garbage at end of time stamp"#
  ),
  (
    #"playlistfind "(modified-since '2020-01-01T')""#,
    #"ACK [2@0] {playlistfind} Failed to parse time of day"#
  ),
  (
    #"playlistfind "(modified-since '2020-01-01T25:00:00Z')""#,
    #"ACK [2@0] {playlistfind} Failed to parse time of day"#
  ),
  (
    #"playlistfind "(modified-since '2020-01-01T24:00:00Z')""#,
    #"ACK [2@0] {playlistfind} Failed to parse time of day"#
  ),
  (
    #"playlistfind "(modified-since '2020-01-01T10:60:00Z')""#,
    #"ACK [2@0] {playlistfind} Garbage at end of time stamp"#
  ),
  (
    #"playlistfind "(modified-since '2020-01-01T10:00:62Z')""#,
    #"ACK [2@0] {playlistfind} Failed to parse time of day"#
  ),
  (
    #"playlistfind "(modified-since '2020-01-01x')""#,
    #"ACK [2@0] {playlistfind} Garbage at end of time stamp"#
  ),
  (#"playlistfind "(modified-since '99999-01-01')""#, #"ACK [2@0] {playlistfind} Failed to parse date"#),
  (
    #"playlistfind "(modified-since '2020-01-01T10:00:00z')""#,
    #"ACK [2@0] {playlistfind} Garbage at end of time stamp"#
  ),
  (
    #"playlistfind "(modified-since '2020-01-01T10:00:00Zx')""#,
    #"ACK [2@0] {playlistfind} Garbage at end of time stamp"#
  ),
  (
    #"playlistfind "(modified-since '2020-01-01T10:00:00+02:0')""#,
    #"ACK [2@0] {playlistfind} Failed to parse time zone offset"#
  ),
  (
    #"playlistfind "(modified-since '2020-01-01T10:00:00+99:00')""#,
    #"ACK [2@0] {playlistfind} Time offset hours out of range"#
  ),
  (#"playlistfind "(modified-since '5'""#, #"ACK [2@0] {playlistfind} ')' expected"#),
  (#"playlistfind "(modified-since 5)""#, #"ACK [2@0] {playlistfind} Quoted string expected"#),
  (#"playlistfind "(modified-since == '5')""#, #"ACK [2@0] {playlistfind} Quoted string expected"#),
  (#"playlistfind "(Modified-Since '5')""#, #"ACK [2@0] {playlistfind} Unknown filter type: Modified-Since"#),
  (#"playlistfind "(modified-since)""#, #"ACK [2@0] {playlistfind} Quoted string expected"#),
  (#"playlistfind modified-since x"#, #"ACK [2@0] {playlistfind} Failed to parse date"#),
  (#"playlistfind MODIFIED-SINCE 5"#, #"ACK [2@0] {playlistfind} Unknown filter type"#),
  (
    #"playlistfind "(AudioFormat == '22050:*:2')""#,
    #"ACK [2@0] {playlistfind} Failed to parse the sample format"#
  ),
  (
    #"playlistfind "(AudioFormat == '*:24:2')""#,
    #"ACK [2@0] {playlistfind} Failed to parse the sample rate"#
  ),
  (#"playlistfind "(AudioFormat == '*:*:*')""#, #"ACK [2@0] {playlistfind} Failed to parse the sample rate"#),
  (#"playlistfind "(AudioFormat == 'dsd64')""#, #"ACK [2@0] {playlistfind} Failed to parse the sample rate"#),
  (
    #"playlistfind "(AudioFormat == 'dsd64:*')""#,
    #"ACK [2@0] {playlistfind} Failed to parse the channel count"#
  ),
  (#"playlistfind "(AudioFormat == 'dsd:1')""#, #"ACK [2@0] {playlistfind} Failed to parse the sample rate"#),
  (
    #"playlistfind "(AudioFormat == 'dsd0:1')""#,
    #"ACK [2@0] {playlistfind} Failed to parse the sample rate"#
  ),
  (
    #"playlistfind "(AudioFormat == 'dsdx:1')""#,
    #"ACK [2@0] {playlistfind} Failed to parse the sample rate"#
  ),
  (#"playlistfind "(AudioFormat == 'dsd64:0')""#, #"ACK [2@0] {playlistfind} Invalid channel count: 0"#),
  (
    #"playlistfind "(AudioFormat == 'dsd64:1x')""#,
    #"ACK [2@0] {playlistfind} Extra data after channel count: x"#
  ),
  (
    #"playlistfind "(AudioFormat == 'dsd64::1')""#,
    #"ACK [2@0] {playlistfind} Failed to parse the channel count"#
  ),
  (
    #"playlistfind "(AudioFormat == 'DSD64:1')""#,
    #"ACK [2@0] {playlistfind} Failed to parse the sample rate"#
  ),
  (#"playlistfind "(AudioFormat == '0:16:2')""#, #"ACK [2@0] {playlistfind} Invalid sample rate: 0"#),
  (#"playlistfind "(AudioFormat == 'x')""#, #"ACK [2@0] {playlistfind} Failed to parse the sample rate"#),
  (#"playlistfind "(AudioFormat == '')""#, #"ACK [2@0] {playlistfind} Failed to parse the sample rate"#),
  (#"playlistfind "(AudioFormat == '44100')""#, #"ACK [2@0] {playlistfind} Sample format missing"#),
  (
    #"playlistfind "(AudioFormat == '44100:')""#,
    #"ACK [2@0] {playlistfind} Failed to parse the sample format"#
  ),
  (#"playlistfind "(AudioFormat == '44100:16')""#, #"ACK [2@0] {playlistfind} Channel count missing"#),
  (
    #"playlistfind "(AudioFormat == '44100:16:')""#,
    #"ACK [2@0] {playlistfind} Failed to parse the channel count"#
  ),
  (
    #"playlistfind "(AudioFormat == '44100:16:2:1')""#,
    #"ACK [2@0] {playlistfind} Extra data after channel count: :1"#
  ),
  (
    #"playlistfind "(AudioFormat == '44100:16:2x')""#,
    #"ACK [2@0] {playlistfind} Extra data after channel count: x"#
  ),
  (
    #"playlistfind "(AudioFormat == '44100:16:x')""#,
    #"ACK [2@0] {playlistfind} Failed to parse the channel count"#
  ),
  (#"playlistfind "(AudioFormat == '44100:17:2')""#, #"ACK [2@0] {playlistfind} Invalid sample format: 17"#),
  (
    #"playlistfind "(AudioFormat == '44100::2')""#,
    #"ACK [2@0] {playlistfind} Failed to parse the sample format"#
  ),
  (#"playlistfind "(AudioFormat == '44100:fx:1')""#, #"ACK [2@0] {playlistfind} Channel count missing"#),
  (
    #"playlistfind "(AudioFormat == '44100:F:1')""#,
    #"ACK [2@0] {playlistfind} Failed to parse the sample format"#
  ),
  (#"playlistfind "(AudioFormat == '44100:24_:2')""#, #"ACK [2@0] {playlistfind} Channel count missing"#),
  (#"playlistfind "(AudioFormat == '44100:16:0')""#, #"ACK [2@0] {playlistfind} Invalid channel count: 0"#),
  (#"playlistfind "(AudioFormat == '44100:16:9')""#, #"ACK [2@0] {playlistfind} Invalid channel count: 9"#),
  (#"playlistfind "(AudioFormat == '44100x:16:2')""#, #"ACK [2@0] {playlistfind} Sample format missing"#),
  (#"playlistfind "(AudioFormat == '44100.5:16:2')""#, #"ACK [2@0] {playlistfind} Sample format missing"#),
  (
    #"playlistfind "(AudioFormat == '*x:*:*')""#,
    #"ACK [2@0] {playlistfind} Failed to parse the sample rate"#
  ),
  (#"playlistfind "(AudioFormat == ':')""#, #"ACK [2@0] {playlistfind} Failed to parse the sample rate"#),
  (#"playlistfind "(AudioFormat =~ 'x:*:*')""#, #"ACK [2@0] {playlistfind} Failed to parse the sample rate"#),
  (
    #"playlistfind "(AudioFormat =~ '*:x:*')""#,
    #"ACK [2@0] {playlistfind} Failed to parse the sample format"#
  ),
  (
    #"playlistfind "(AudioFormat =~ '*:*:x')""#,
    #"ACK [2@0] {playlistfind} Failed to parse the channel count"#
  ),
  (#"playlistfind "(AudioFormat =~ '*:*:0')""#, #"ACK [2@0] {playlistfind} Invalid channel count: 0"#),
  (#"playlistfind "(AudioFormat =~ '*x:*:*')""#, #"ACK [2@0] {playlistfind} Sample format missing"#),
  (#"playlistfind "(AudioFormat =~ '*:*x:*')""#, #"ACK [2@0] {playlistfind} Channel count missing"#),
  (
    #"playlistfind "(AudioFormat =~ '*:*:*x')""#,
    #"ACK [2@0] {playlistfind} Extra data after channel count: x"#
  ),
  (#"playlistfind "(AudioFormat =~ '*:*')""#, #"ACK [2@0] {playlistfind} Channel count missing"#),
  (#"playlistfind "(AudioFormat =~ '*')""#, #"ACK [2@0] {playlistfind} Sample format missing"#),
  (#"playlistfind "(AudioFormat =~ '')""#, #"ACK [2@0] {playlistfind} Failed to parse the sample rate"#),
  (#"playlistfind "(AudioFormat =~ '44100:*')""#, #"ACK [2@0] {playlistfind} Channel count missing"#),
  (#"playlistfind "(AudioFormat != '44100:16:2')""#, #"ACK [2@0] {playlistfind} '==' or '=~' expected"#),
  (
    #"playlistfind "(AudioFormat contains '44100:16:2')""#,
    #"ACK [2@0] {playlistfind} '==' or '=~' expected"#
  ),
  (#"playlistfind "(AudioFormat = '44100:16:2')""#, #"ACK [2@0] {playlistfind} '==' or '=~' expected"#),
  (#"playlistfind "(AudioFormat)""#, #"ACK [2@0] {playlistfind} '==' or '=~' expected"#),
  (#"playlistfind "(AudioFormat ==)""#, #"ACK [2@0] {playlistfind} Quoted string expected"#),
  (#"playlistfind "(AudioFormat =~ 24000)""#, #"ACK [2@0] {playlistfind} Quoted string expected"#),
  (#"playlistfind "(AudioFormat =~ '48000:*:1'""#, #"ACK [2@0] {playlistfind} ')' expected"#),
  (#"playlistfind "(""#, #"ACK [2@0] {playlistfind} Word expected"#),
  (#"playlistfind "( )""#, #"ACK [2@0] {playlistfind} Word expected"#),
  (#"playlistfind "(!""#, #"ACK [2@0] {playlistfind} '(' expected"#),
  (#"playlistfind "(! x""#, #"ACK [2@0] {playlistfind} '(' expected"#),
  (#"playlistfind "(!())""#, #"ACK [2@0] {playlistfind} Word expected"#),
  (#"playlistfind "(!(Title""#, #"ACK [2@0] {playlistfind} '==' or '!=' expected"#),
  (#"playlistfind "(!(Title == 'Song A')""#, #"ACK [2@0] {playlistfind} ')' expected"#),
  (#"playlistfind "(!)""#, #"ACK [2@0] {playlistfind} '(' expected"#),
  (#"playlistfind "(!Title == 'Song A')""#, #"ACK [2@0] {playlistfind} '(' expected"#),
  (#"playlistfind "(())""#, #"ACK [2@0] {playlistfind} Word expected"#),
  (#"playlistfind "((Title == 'Song A')""#, #"ACK [2@0] {playlistfind} Word expected"#),
  (
    #"playlistfind "((Title == 'Song A') & (Artist == 'Artist A'))""#,
    #"ACK [2@0] {playlistfind} Word expected"#
  ),
  (
    #"playlistfind "((Title == 'Song A') AND (Artist == 'Artist A')""#,
    #"ACK [2@0] {playlistfind} Word expected"#
  ),
  (
    #"playlistfind "((Title == 'Song A') AND (Artist == 'Artist A') (Album == 'Album X'))""#,
    #"ACK [2@0] {playlistfind} Word expected"#
  ),
  (
    #"playlistfind "((Title == 'Song A') ANDX (Artist == 'Artist A'))""#,
    #"ACK [2@0] {playlistfind} 'AND' expected"#
  ),
  (
    #"playlistfind "((Title == 'Song A') OR (Artist == 'Artist A'))""#,
    #"ACK [2@0] {playlistfind} 'AND' expected"#
  ),
  (
    #"playlistfind "((Title == 'Song A') and (Artist == 'Artist A'))""#,
    #"ACK [2@0] {playlistfind} 'AND' expected"#
  ),
  (
    #"playlistfind "((Title == 'Song A')) AND (Artist == 'Artist A')""#,
    #"ACK [2@0] {playlistfind} Unparsed garbage after expression"#
  ),
  (#"playlistfind "((Title == 'Song A'))x""#, #"ACK [2@0] {playlistfind} Unparsed garbage after expression"#),
  (#"playlistfind "((Title == 'Song A')x)""#, #"ACK [2@0] {playlistfind} 'AND' expected"#),
  (#"playlistfind "()""#, #"ACK [2@0] {playlistfind} Word expected"#),
  (#"playlistfind "(-x == 'a')""#, #"ACK [2@0] {playlistfind} Unknown filter type: -x"#),
  (#"playlistfind "(1x == 'x')""#, #"ACK [2@0] {playlistfind} Word expected"#),
  (#"playlistfind "(== 'x')""#, #"ACK [2@0] {playlistfind} Word expected"#),
  (#"playlistfind "(T1 == 'x')""#, #"ACK [2@0] {playlistfind} Unknown filter type: T"#),
  (#"playlistfind "(Title""#, #"ACK [2@0] {playlistfind} '==' or '!=' expected"#),
  (#"playlistfind "(Title ! 'Song A')""#, #"ACK [2@0] {playlistfind} '==' or '!=' expected"#),
  (#"playlistfind "(Title ! contains 'Song A')""#, #"ACK [2@0] {playlistfind} '==' or '!=' expected"#),
  (#"playlistfind "(Title !'x')""#, #"ACK [2@0] {playlistfind} '==' or '!=' expected"#),
  (#"playlistfind "(Title !)""#, #"ACK [2@0] {playlistfind} '==' or '!=' expected"#),
  (#"playlistfind "(Title !=)""#, #"ACK [2@0] {playlistfind} Quoted string expected"#),
  (#"playlistfind "(Title !contains'Song A')""#, #"ACK [2@0] {playlistfind} '==' or '!=' expected"#),
  (#"playlistfind "(Title !starts_with 'Song')""#, #"ACK [2@0] {playlistfind} '==' or '!=' expected"#),
  (#"playlistfind "(Title 'x')""#, #"ACK [2@0] {playlistfind} '==' or '!=' expected"#),
  (#"playlistfind "(Title < 'Song A')""#, #"ACK [2@0] {playlistfind} '==' or '!=' expected"#),
  (#"playlistfind "(Title = 'Song A')""#, #"ACK [2@0] {playlistfind} '==' or '!=' expected"#),
  (#"playlistfind "(Title =)""#, #"ACK [2@0] {playlistfind} '==' or '!=' expected"#),
  (#"playlistfind "(Title ==""#, #"ACK [2@0] {playlistfind} Quoted string expected"#),
  (#"playlistfind "(Title == ""#, #"ACK [2@0] {playlistfind} Quoted string expected"#),
  (#"playlistfind "(Title == 'Song A'""#, #"ACK [2@0] {playlistfind} ')' expected"#),
  (#"playlistfind "(Title == 'Song A' 'x')""#, #"ACK [2@0] {playlistfind} ')' expected"#),
  (
    #"playlistfind "(Title == 'Song A')(Artist == 'Artist A')""#,
    #"ACK [2@0] {playlistfind} Unparsed garbage after expression"#
  ),
  (#"playlistfind "(Title == 'Song A')x""#, #"ACK [2@0] {playlistfind} Unparsed garbage after expression"#),
  (#"playlistfind "(Title == 'Song A'x)""#, #"ACK [2@0] {playlistfind} ')' expected"#),
  (#"playlistfind "(Title contains )""#, #"ACK [2@0] {playlistfind} Quoted string expected"#),
  (#"playlistfind "(Title contains'Song')""#, #"ACK [2@0] {playlistfind} '==' or '!=' expected"#),
  (#"playlistfind "(Title contains)""#, #"ACK [2@0] {playlistfind} '==' or '!=' expected"#),
  (#"playlistfind "(Title eq 'Song A')""#, #"ACK [2@0] {playlistfind} '==' or '!=' expected"#),
  (#"playlistfind "(Title is 'Song A')""#, #"ACK [2@0] {playlistfind} '==' or '!=' expected"#),
  (#"playlistfind "(Title starts_with 'Song')""#, #"ACK [2@0] {playlistfind} '==' or '!=' expected"#),
  (#"playlistfind "(Title)""#, #"ACK [2@0] {playlistfind} '==' or '!=' expected"#),
  (#"playlistfind "(Title-x == 'Song A')""#, #"ACK [2@0] {playlistfind} Unknown filter type: Title-x"#),
  (#"playlistfind "(Title== 'Song A' AND Artist == 'Artist A')""#, #"ACK [2@0] {playlistfind} ')' expected"#),
  (#"playlistfind "(Title_x == 'Song A')""#, #"ACK [2@0] {playlistfind} Unknown filter type: Title_x"#),
  (#"playlistfind "(_x == 'a')""#, #"ACK [2@0] {playlistfind} Unknown filter type: _x"#),
  (#"playlistfind "(bogus""#, #"ACK [2@0] {playlistfind} Unknown filter type: bogus"#),
  (#"playlistfind "(bogus == 'x')""#, #"ACK [2@0] {playlistfind} Unknown filter type: bogus"#),
  (#"playlistfind "(file)""#, #"ACK [2@0] {playlistfind} '==' or '!=' expected"#),
  (#"playlistfind "(prio == 1""#, #"ACK [2@0] {playlistfind} Unknown filter type: prio"#),
  (#"playlistfind "(prio >= 1)""#, #"ACK [2@0] {playlistfind} Unknown filter type: prio"#),
  (#"playlistfind "(x-y""#, #"ACK [2@0] {playlistfind} Unknown filter type: x-y"#),
  (
    #"playlistfind "  (Title == 'Song A')""#,
    #"ACK [2@0] {playlistfind} Incorrect number of filter arguments"#
  ),
  (#"playlistfind ("#, #"ACK [2@0] {playlistfind} Word expected"#),
  (#"playlistfind !"#, #"ACK [2@0] {playlistfind} Incorrect number of filter arguments"#),
  (#"playlistfind prio 1"#, #"ACK [2@0] {playlistfind} Unknown filter type"#),
  (#"playlistfind "(Title ~ 'Song .')""#, #"ACK [2@0] {playlistfind} '==' or '!=' expected"#),
  (#"find "(Title""#, #"ACK [2@0] {find} '==' or '!=' expected"#),
  (#"find Title"#, #"ACK [2@0] {find} Incorrect number of filter arguments"#),
  (#"find bogus x"#, #"ACK [2@0] {find} Unknown filter type"#),
  (#"find "(Title contains 'nothing')" sort bogus"#, #"ACK [2@0] {find} Unknown sort tag"#),
  (#"find "(Title contains 'nothing')" sort -bogus"#, #"ACK [2@0] {find} Unknown sort tag"#),
  (#"find "(Title contains 'nothing')" sort """#, #"ACK [2@0] {find} Unknown sort tag"#),
  (#"find "(Title contains 'nothing')" sort -"#, #"ACK [2@0] {find} Unknown sort tag"#),
  (#"find "(Title contains 'nothing')" sort"#, #"ACK [2@0] {find} Incorrect number of filter arguments"#),
  (#"find "(Title contains 'nothing')" sort Prio"#, #"ACK [2@0] {find} Unknown sort tag"#),
  (#"find "(Title contains 'nothing')" sort file"#, #"ACK [2@0] {find} Unknown sort tag"#),
  (#"find "(Title contains 'nothing')" sort any"#, #"ACK [2@0] {find} Unknown sort tag"#),
  (#"find "(Title contains 'nothing')" Sort Title"#, #"ACK [2@0] {find} Unknown filter type"#),
  (#"find "(Title contains 'nothing')" window x"#, #"ACK [2@0] {find} Integer or range expected: x"#),
  (#"find "(Title contains 'nothing')" window 2:1"#, #"ACK [2@0] {find} Malformed range: 2:1"#),
  (#"find "(Title contains 'nothing')" window -1:2"#, #"ACK [2@0] {find} Number is negative: -1:2"#),
  (
    #"find "(Title contains 'nothing')" window 0:99999999999"#,
    #"ACK [2@0] {find} Number too large: 0:99999999999"#
  ),
  (#"find "(Title contains 'nothing')" window 0:1x"#, #"ACK [2@0] {find} Integer or range expected: 0:1x"#),
  (#"find "(Title contains 'nothing')" window """#, #"ACK [2@0] {find} Integer or range expected: "#),
  (#"find "(Title contains 'nothing')" window"#, #"ACK [2@0] {find} Incorrect number of filter arguments"#),
  (#"find "(Title contains 'nothing')" window 0:1 sort Title"#, #"ACK [2@0] {find} Unknown filter type"#),
  (
    #"find "(Title contains 'nothing')" sort bogus window x"#,
    #"ACK [2@0] {find} Integer or range expected: x"#
  ),
  (#"find "(Title" sort bogus"#, #"ACK [2@0] {find} Unknown sort tag"#),
  (#"find "(Title" window x"#, #"ACK [2@0] {find} Integer or range expected: x"#),
  (#"find "(Title" sort Title window 0:1"#, #"ACK [2@0] {find} '==' or '!=' expected"#),
  (#"find sort Title"#, #"ACK [2@0] {find} Incorrect number of filter arguments"#),
  (#"find window 0:1"#, #"ACK [2@0] {find} Incorrect number of filter arguments"#),
  (#"find sort Title window 0:1"#, #"ACK [2@0] {find} Incorrect number of filter arguments"#),
  (#"find Title sort Title"#, #"ACK [2@0] {find} Incorrect number of filter arguments"#),
  (#"find position 0"#, #"ACK [2@0] {find} Unknown filter type"#),
  (#"find "(Title contains 'nothing')" position 0"#, #"ACK [2@0] {find} Unknown filter type"#),
  (#"find "(Title contains 'nothing')" group Artist"#, #"ACK [2@0] {find} Unknown filter type"#),
  (#"search "(Title contains 'nothing')" sort bogus"#, #"ACK [2@0] {search} Unknown sort tag"#),
  (#"search"#, #"ACK [2@0] {search} too few arguments for "search""#),
  (#"find"#, #"ACK [2@0] {find} too few arguments for "find""#),
  (#"count "(Title contains 'nothing')" group bogus"#, #"ACK [2@0] {count} Unknown tag type: bogus"#),
  (#"count "(Title contains 'nothing')" group"#, #"ACK [2@0] {count} Incorrect number of filter arguments"#),
  (#"count group"#, #"ACK [2@0] {count} Incorrect number of filter arguments"#),
  (#"count "(Title contains 'nothing')" sort Artist"#, #"ACK [2@0] {count} Unknown filter type"#),
  (#"count "(Title contains 'nothing')" window 0:1"#, #"ACK [2@0] {count} Unknown filter type"#),
  (#"count "(Title" group bogus"#, #"ACK [2@0] {count} Unknown tag type: bogus"#),
  (#"count bogus x"#, #"ACK [2@0] {count} Unknown filter type"#),
  (#"count Title"#, #"ACK [2@0] {count} Incorrect number of filter arguments"#),
  (#"count Title nothing group Artist group Album"#, #"ACK [2@0] {count} Unknown filter type"#),
  (#"count"#, #"ACK [2@0] {count} too few arguments for "count""#),
  (#"findadd "(Title""#, #"ACK [2@0] {findadd} '==' or '!=' expected"#),
  (#"findadd Title"#, #"ACK [2@0] {findadd} Incorrect number of filter arguments"#),
  (#"findadd "(Title == 'nothing')" sort bogus"#, #"ACK [2@0] {findadd} Unknown sort tag"#),
  (#"findadd "(Title == 'nothing')" window x"#, #"ACK [2@0] {findadd} Integer or range expected: x"#),
  (#"findadd "(Title == 'nothing')" position x"#, #"ACK [2@0] {findadd} Integer expected: x"#),
  (#"findadd "(Title == 'nothing')" position 0 sort Title"#, #"ACK [2@0] {findadd} Unknown filter type"#),
  (#"findadd "(Title" position x"#, #"ACK [2@0] {findadd} Integer expected: x"#),
  (#"findadd position 0"#, #"ACK [2@0] {findadd} Incorrect number of filter arguments"#),
  (#"findadd"#, #"ACK [2@0] {findadd} too few arguments for "findadd""#),
  (#"searchadd bogus x"#, #"ACK [2@0] {searchadd} Unknown filter type"#),
  (#"searchadd"#, #"ACK [2@0] {searchadd} too few arguments for "searchadd""#),
  (#"list bogus"#, #"ACK [2@0] {list} Unknown tag type: bogus"#),
  (#"list any"#, #"ACK [2@0] {list} Unknown tag type: any"#),
  (#"list base"#, #"ACK [2@0] {list} Unknown tag type: base"#),
  (#"list Artist "(Title""#, #"ACK [2@0] {list} '==' or '!=' expected"#),
  (#"list Artist Title"#, #"ACK [2@0] {list} should be "Album" for 3 arguments"#),
  (#"list Artist bogus x"#, #"ACK [2@0] {list} Unknown filter type"#),
  (#"list Artist nothing"#, #"ACK [2@0] {list} should be "Album" for 3 arguments"#),
  (#"list Title "x""#, #"ACK [2@0] {list} should be "Album" for 3 arguments"#),
  (#"list Artist group bogus"#, #"ACK [2@0] {list} Unknown tag type: bogus"#),
  (#"list Artist group"#, #"ACK [2@0] {list} should be "Album" for 3 arguments"#),
  (#"list Artist group Artist"#, #"ACK [2@0] {list} Conflicting group"#),
  (#"list Artist group Album group Album"#, #"ACK [2@0] {list} Conflicting group"#),
  (#"list Artist "(Title == 'nothing')" group bogus"#, #"ACK [2@0] {list} Unknown tag type: bogus"#),
  (#"list Artist "(Title" group bogus"#, #"ACK [2@0] {list} Unknown tag type: bogus"#),
  (#"list Artist "(Title == 'nothing')" sort Title"#, #"ACK [2@0] {list} Unknown filter type"#),
  (#"list Artist "(Title == 'nothing')" window 0:1"#, #"ACK [2@0] {list} Unknown filter type"#),
  (#"list Album nothing group Date"#, #"ACK [2@0] {list} Incorrect number of filter arguments"#),
  (#"list file group Album"#, #"ACK [2@0] {list} Unknown filter type"#),
  (#"list modified-since"#, #"ACK [2@0] {list} Unknown tag type: modified-since"#),
  (#"list AudioFormat"#, #"ACK [2@0] {list} Unknown tag type: AudioFormat"#),
  (#"list """#, #"ACK [2@0] {list} Unknown tag type: "#),
  (#"list"#, #"ACK [2@0] {list} too few arguments for "list""#),
]
