/// Requests, one after the other in a queue of three songs, and what those that wait are told of.
let events: [(request: String, changed: [String])] = [
  ("play", ["changed: player"]), ("pause 1", ["changed: player"]), ("pause 1", []),
  ("pause 0", ["changed: player"]), ("seekcur 5", ["changed: player"]), ("next", ["changed: player"]),
  ("previous", ["changed: player"]), ("stop", ["changed: player"]), ("stop", []),
  ("repeat 1", ["changed: options"]), ("repeat 1", []), ("repeat 0", ["changed: options"]),
  ("random 1", ["changed: options"]), ("random 0", ["changed: options"]),
  ("single oneshot", ["changed: options"]), ("single 0", ["changed: options"]),
  ("consume 1", ["changed: options"]), ("consume 0", ["changed: options"]),
  ("setvol 30", ["changed: mixer"]), ("setvol 30", ["changed: mixer"]), ("volume +5", ["changed: mixer"]),
  ("move 0 2", ["changed: playlist"]), ("move 1 1", []), ("swap 0 1", ["changed: playlist"]),
  ("shuffle", ["changed: playlist"]), ("deleteid 999999", []), ("delete 0", ["changed: playlist"]),
  ("subscribe x", ["changed: subscription"]), ("sendmessage x y", []), ("readmessages", []),
  ("unsubscribe x", ["changed: subscription"]), ("clearerror", []), ("tagtypes clear", []), ("status", []),
  ("play 0", ["changed: player"]), ("delete 0", ["changed: playlist", "changed: player"]),
  ("clear", ["changed: playlist", "changed: player"]), ("clear", ["changed: playlist"]),
  ("setvol 100", ["changed: mixer"]),
]
