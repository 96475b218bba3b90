internal import Glibc

package enum TransferInput: Sendable {
  /// The reader wants bytes from this offset on. A new machine starts at 0.
  case read(from: Int64)
  case readAhead(ReadAhead)
  /// The length in bytes that the medium itself states (its tag and the byte count of an Info frame).
  case expect(total: Int64)
  /// Reports that the player pauses or resumes. While paused, a live stream is not read; after
  /// `NetworkLimits.livePause` seconds it is closed.
  case hold(Bool)
  /// Suspends or resumes all requests. While suspended, the body of a transfer is paused, a lost connection
  /// is not retried, and no timeout runs. Resuming ends a pending back-off.
  case suspend(Bool)
  /// Treats the medium as a live stream. The head of the response does not announce one, but has no length,
  /// and the data has no Info frame.
  case treatAsLive
  /// Reconnects the live stream without metadata, because its metadata blocks may corrupt the audio.
  case withoutMetadata
  case event(TransferEvent, attempt: Int)
  case time
}

/// An action that the machine's driver must carry out, in the order given.
package enum TransferCommand: Hashable, Sendable {
  /// Start this request and report its events with the attempt number. No other transfer is in progress.
  case start(TransferRequest, attempt: Int)
  case cancel(attempt: Int)
  case setPaused(Bool, attempt: Int)
  case store(ArraySlice<UInt8>, at: Int64)
  /// Discard all stored bytes of the live stream.
  case forget
  case note(TransferNote)
}

/// An event of a medium's transfer, for event output, logs and the player.
package enum TransferNote: Hashable, Sendable {
  /// A request is sent for the bytes from `from` on; nil without a `Range` field. Not reported for redirects.
  case request(from: Int64?, attempt: Int)
  /// The response head, the URL that sent it (after redirects), and the server's address if known.
  case response(ResponseHead, url: WebURL, address: PeerAddress?, attempt: Int)
  /// The attempt has failed; the next one starts after this many seconds.
  case retry(after: Double, TransferFailure)
  /// Bytes arrived. Reported by the owner of the store, at most twice a second, and before the final notes.
  case progress(TransferProgress)
  /// All bytes from the reader's position to the end are stored. The medium has `total` bytes.
  case complete(total: Int64)
  /// The server has another version, so no more bytes of the stored version will arrive. The last note of
  /// that version's transfer.
  case changed
  /// The reader continues in the new version. Reported on the reader's own thread.
  case entered
  /// No more bytes will arrive. After the stored bytes, the medium fails with this error. The last note of
  /// the transfer.
  case failed(TransferFailure)
  case live(ICYStation?)
  /// The live stream was reconnected. New bytes are stored from this offset on and continue no earlier frame.
  case rejoined(at: Int64)
  /// New bytes are not stored on the disk, so only a few MiB are kept in memory. Reported at most once, by
  /// the store's owner.
  case keptInMemory
  /// Metadata that apply from the byte at this offset on.
  case metadata(ICYMetadata, at: Int64)
}

package struct TransferProgress: Hashable, Sendable {
  /// Bytes received over all connections.
  package var received: Int64 = 0
  /// Seconds of transfer time. Each gap between bytes counts as at most 1 s.
  package var seconds = 0.0
  /// The number of stored bytes.
  package var stored: Int64 = 0
  /// The medium's length in bytes; nil if unknown.
  package var total: Int64?

  package init() {}
}

package struct ReadAhead: Hashable, Sendable {
  /// The transfer pauses when this many bytes are stored ahead.
  package var enough: Int64
  /// The transfer resumes when no more than this many bytes are left ahead.
  package var tooFew: Int64

  /// Creates a read-ahead; `tooFew` is limited to 0…`enough`.
  package init(enough: Int64, tooFew: Int64) {
    self.enough = max(1, enough)
    self.tooFew = min(max(0, tooFew), self.enough)
  }

  package static let disk = ReadAhead(enough: NetworkLimits.readAhead, tooFew: NetworkLimits.readOn)
  package static let memory = ReadAhead(
    enough: NetworkLimits.memoryAhead, tooFew: NetworkLimits.memoryAhead * 3 / 4)
}

/// The stored bytes, as the machine sees them. A store command must be carried out before the next input.
package protocol StoredBytes {
  var intervals: IntervalSet { get }

  /// Returns whether the stored bytes from `offset` on equal `bytes`. Missing or unreadable bytes never do.
  func holds(_ bytes: ArraySlice<UInt8>, at offset: Int64) -> Bool
}

extension ArraySlice<UInt8> {
  /// Returns whether `other` has the same bytes. Uses `memcmp`, because `==` compares one element after the
  /// other.
  package func isEqual(to other: [UInt8]) -> Bool {
    guard count == other.count else { return false }
    return withUnsafeBytes { bytes in
      other.withUnsafeBytes { other in
        guard let first = bytes.baseAddress, let second = other.baseAddress else { return true }
        return memcmp(first, second, bytes.count) == 0
      }
    }
  }
}

package struct TransferTimes: Hashable, Sendable {
  /// The timeout in seconds until the connection is established. Time in the transport's queue does not count.
  package var connect = NetworkLimits.connectTimeout
  /// The timeout in seconds for the head of the response.
  package var firstByte = NetworkLimits.firstByteTimeout
  /// The timeout in seconds for the next byte, while bytes are wanted.
  package var stall = NetworkLimits.stallTimeout
  /// Seconds without progress after which a medium fails while its reader waits for bytes.
  package var giveUp = NetworkLimits.giveUp

  package init() {}
}
