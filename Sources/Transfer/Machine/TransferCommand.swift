/// What a machine is told.
package enum TransferInput: Sendable {
  /// The reader wants bytes from here on. A machine begins as if told 0.
  case read(from: Int64)
  /// How far to read ahead of the reader.
  case readAhead(ReadAhead)
  /// The medium itself says how long it is: an Info frame's byte count.
  case expect(total: Int64)
  /// The player stands still, or goes on. A live stream is not read then, and after `NetworkLimits.livePause` closed.
  case hold(Bool)
  /// Nothing is asked for until further notice: what runs is paused, a connection that is lost is not made again, and no
  /// limit of time counts. Or it goes on, at once.
  case suspend(Bool)
  /// What was found in the stream says that it is live although its head did not: no length, no Info frame.
  case treatAsLive
  /// The metadata of the live stream spoil its sound: open it anew without.
  case withoutMetadata
  /// Something happened to the transfer of that attempt.
  case event(TransferEvent, attempt: Int)
  /// Time has passed.
  case time
}

/// What a machine wants done, in this order.
package enum TransferCommand: Hashable, Sendable {
  /// Begin this request; its events are told with the number. There is no other one.
  case start(TransferRequest, attempt: Int)
  /// Cancel the transfer of that attempt.
  case cancel(attempt: Int)
  /// Pause the transfer of that attempt, or let it go on.
  case setPaused(Bool, attempt: Int)
  /// Store bytes that were not there.
  case store(ArraySlice<UInt8>, at: Int64)
  /// Forget all that is stored.
  case forget
  /// Something that callers may want to know.
  case note(TransferNote)
}

/// What happens to a medium, for events, logs and the player.
package enum TransferNote: Hashable, Sendable {
  /// A request goes out; `from` is nil without `Range`.
  case request(from: Int64?, attempt: Int)
  /// Its answer: what the server said, the URL that said it (after redirects), and where.
  case response(ResponseHead, url: WebURL, address: PeerAddress?, attempt: Int)
  /// The connection is gone; the next one begins in so many seconds.
  case retry(after: Double, TransferFailure)
  /// Bytes came. Told by who stores them: at most twice a second, and before the notes below that end something.
  case progress(TransferProgress)
  /// Everything from the reader's place to the end is stored. The medium has so many bytes.
  case complete(total: Int64)
  /// The server has another version now: what is stored is all that there will be of this one. The last note.
  case changed
  /// The reader has come to the end of what there was, and goes on in the other version at the same time. Told by who reads,
  /// on its own thread.
  case entered
  /// No more bytes come: what is stored can be played, then the medium fails with this. The last note.
  case failed(TransferFailure)
  /// The stream is live.
  case live(ICYStation?)
  /// The live stream was opened anew; its new bytes are stored from here on, and belong to no frame before.
  case rejoined(at: Int64)
  /// The disk takes no bytes: they are kept in memory from now on, a few MiB of them. Told once, by who stores them.
  case keptInMemory
  /// Metadata of the live stream that belong to the byte at that offset, and differ from those before.
  case metadata(ICYMetadata, at: Int64)
}

/// How much of a medium came.
package struct TransferProgress: Hashable, Sendable {
  /// Bytes that connections have brought in all.
  package var received: Int64 = 0
  /// Seconds in which they came, without those in which nothing was asked for.
  package var seconds = 0.0
  /// Bytes that are stored now.
  package var stored: Int64 = 0
  /// How many the medium has; nil while that is not known.
  package var total: Int64?

  /// Nothing came yet.
  package init() {}
}

/// How many bytes ahead of the reader are fetched.
package struct ReadAhead: Hashable, Sendable {
  /// With so many the transfer pauses.
  package var enough: Int64
  /// With so few it goes on.
  package var tooFew: Int64

  /// Reading ahead within these; `tooFew` is at most `enough`.
  package init(enough: Int64, tooFew: Int64) {
    self.enough = max(1, enough)
    self.tooFew = min(max(0, tooFew), self.enough)
  }

  /// What a store on a disk takes.
  package static let disk = ReadAhead(enough: NetworkLimits.readAhead, tooFew: NetworkLimits.readOn)
  /// What a store in memory takes.
  package static let memory = ReadAhead(
    enough: NetworkLimits.memoryAhead, tooFew: NetworkLimits.memoryAhead * 3 / 4)
}

/// The bytes that are stored, as the machine sees them. A command to store is carried out before the next input.
package protocol StoredBytes {
  /// Which bytes are there.
  var intervals: IntervalSet { get }

  /// Whether the stored bytes from `offset` on are these. All of them are stored. What cannot be read is not equal.
  func holds(_ bytes: ArraySlice<UInt8>, at offset: Int64) -> Bool
}

/// How long a machine waits.
package struct TransferTimes: Hashable, Sendable {
  /// Seconds for a connection to be made.
  package var connect = NetworkLimits.connectTimeout
  /// Seconds for the head of the answer.
  package var firstByte = NetworkLimits.firstByteTimeout
  /// Seconds for the next byte while bytes are wanted.
  package var stall = NetworkLimits.stallTimeout
  /// Seconds without a new byte after which a dry medium is given up.
  package var giveUp = NetworkLimits.giveUp

  /// The usual ones.
  package init() {}
}

/// What is known of a version of which some bytes are stored.
package struct StoredVersion: Hashable, Sendable {
  /// What requests for the rest are made conditional with.
  package var validator: Validator?
  /// The length in bytes, if the server told it.
  package var total: Int64?

  /// Nothing is known.
  package init() {}
}
