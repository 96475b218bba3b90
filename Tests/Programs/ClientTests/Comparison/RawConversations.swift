/// What is sent as it is; mpd and Continuo answer the same.
let rawConversations: [[UInt8]] =
  [
    "ping\n", "ping", "", "PING\n", " ping\n", "\n", "9ping\n", "{}\n", "GET / HTTP/1.1\r\n\r\n",
    "pi-ng\nping\n",
    "ping\"a\"\nping\n", "p1ng\nping_x\n", "ping\r\nping\r\n", "ping\t\nping \t \n", "ping\nping",
    "status" + String(repeating: " a", count: 80) + "\nping\n", "close\nping\n", "close x\nping\n",
    "ping\nclose\n",
    "add \"a\nping\n", "add a.mp3\u{1}0 \u{2}\nclear\n",
    // A line is 8192 bytes long, with its end.
    "ping " + String(repeating: " ", count: 8186) + "\nping\n",
    "ping " + String(repeating: " ", count: 8187) + "\nping\n",
    "ping " + String(repeating: " ", count: 8185) + "\r\nping\n",
    String(repeating: "x", count: 20_000),
    String(repeating: "ping\n", count: 1000), String(repeating: "ping x\r\nping\n", count: 300),
    // Idle.
    "noidle\nping\n", "noidle\nnoidle\nnoidle\n", "ping\nnoidle\nping\n", "idle\nnoidle\nping\n",
    "idle\nnoidle\nnoidle\nping\n", "idle player\r\nnoidle\r\n", "idle\nping\n", "idle\nidle\n", "idle\n",
    "idle",
    "idle bogus\nping\n", "idle player bogus\nnoidle\nping\n", "idle MIXER\nnoidle\nping\n",
    "idle \"database\"\nnoidle\n", "idle player mixer\nnoidle\nidle playlist\nnoidle\n",
    "idle database stored_playlist playlist player mixer output options sticker update subscription message neighbor "
      + "mount partition\nnoidle\nping\n",
    // Command lists.
    "command_list_begin\nping\n", "command_list_begin\nping\ncommand_list_end",
    "command_list_begin\nPING\nping\n",
    "command_list_begin\nidle\ncommand_list_end\nping\n",
    "command_list_begin\nping\nnoidle\ncommand_list_end\nping\n",
    "command_list_ok_begin\nping\nclose\nping\ncommand_list_end\nping\n",
    "command_list_ok_begin\r\nping\r\ncommand_list_end\r\n",
    "command_list_begin\n"
      + String(repeating: "ping " + String(repeating: "x", count: 8000) + "\n", count: 270)
      + "command_list_end\nping\n",
  ].map { Array($0.utf8) } + [
    // Not UTF-8.
    Array("ping\n".utf8).map { $0 | 0x80 }, Array("add ".utf8) + [0xFF, 0xFE] + Array("\nping\n".utf8),
  ]

/// What is sent as it is, and how Continuo answers and mpd does not.
let rawDifferences: [(sent: String, answer: String)] = [
  // Answers to what came before the line for which the connection is closed are not lost.
  ("ping\nPING\nping\n", "OK\n"),
  // A line that has a NUL in it is not what was meant.
  ("ping\0x\nping\n", "ACK [5@0] {} NUL is not allowed\nOK\n"),
  // One idle name more, for those who ask for it.
  ("idle application\nnoidle\nping\n", "OK\nOK\n"),
  // The daemon is not a client's to end.
  ("kill\nping\n", "ACK [5@0] {} unknown command \"kill\"\nOK\n"),
]
