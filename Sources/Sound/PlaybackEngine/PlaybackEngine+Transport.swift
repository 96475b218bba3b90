package import AudioCore
package import Clocks
package import MediaTime
import Synchronization

extension PlaybackEngine {
  /// The requested rate: 0, or seconds of media per second of output.
  package var rate: Float { read { $0.rate } }

  /// Sets the rate: 0 pauses, any other value plays. Values outside `rates` are clamped.
  ///
  /// Rates other than 1 require an engine created with `stretching`. During playback a new rate is heard from
  /// the first frame that the output can still replace, without repeated sound. A notice follows even if the
  /// rate is unchanged, because the caller may have an outdated value. With `isImmediate` sound starts with
  /// the first available frame, however few frames follow it.
  package func setRate(
    _ rate: Float, reason: EngineRateReason = .setRateCalled, isImmediate: Bool = false
  ) {
    let rate = rate == 0 ? 0 : min(max(rate, Self.rates.lowerBound), Self.rates.upperBound)
    callTimed { $0.requestRate(rate, reason: reason, isImmediate: isImmediate, now: $1, timing: $2) }
  }

  /// Sets a rate above 0 and schedules `seconds` of the current item (nil for the present position) to be
  /// heard at `moment`.
  ///
  /// Until `moment`, silence plays. If `moment` cannot be met, playback starts at the position that an
  /// on-time start would have reached. Another rate, a jump or another current item cancels the schedule. If
  /// `id` is no longer current, only the rate is set. An offline output takes position and rate at once.
  package func setRate(_ rate: Float, atSeconds seconds: Double?, of id: ItemID, moment: HostTime) {
    let rate = min(max(rate, Self.rates.lowerBound), Self.rates.upperBound)
    callTimed { $0.start(rate, at: seconds, of: id, moment: moment, now: $1, timing: $2) }
  }

  /// The supported rates. AVAudioProcessingSettings.h: "variable rate from 1/32 to 32".
  package static let rates: ClosedRange<Float> = 1 / 32...32

  /// Sets the amount of an item to buffer ahead of the decoder.
  package func setReadAhead(_ readAhead: MediaReadAhead, of id: ItemID) {
    call { $0.queue.update(id) { $0.readAhead = readAhead } }
  }

  package func setAlgorithm(_ algorithm: TimePitchAlgorithm, of id: ItemID) {
    callTimed { $0.setAlgorithm(algorithm, of: id, now: $1, timing: $2) }
  }

  /// Sets the mix of an item. During playback the mix is heard from the first frame that the output can still
  /// replace, without a gap. An output that cannot replace frames is flushed.
  package func setMix(_ mix: ItemMix, of id: ItemID) {
    callTimed { $0.setMix(mix, of: id, now: $1, timing: $2) }
  }

  /// The ReplayGain level to apply to all items; nil for none. A change is heard as early as a change by
  /// `setMix`.
  package var replayGain: ReplayGain.Kind? {
    get { read { $0.replayGain } }
    set { callTimed { $0.setReplayGain(newValue, now: $1, timing: $2) } }
  }

  /// Whether playback waits and resumes automatically after the output is lost or starved. If false, the
  /// engine pauses with reason `setRateFailed` instead.
  package var waitsToMinimizeStalling: Bool {
    get { read { $0.waitsToMinimizeStalling } }
    set {
      let now = clock.now
      call(.call) { $0.setWaitsToMinimizeStalling(newValue, now: now) }
    }
  }

  package var timeControl: EngineTimeControl { read { $0.timeControl } }

  /// The position heard now, as a time in the item's timescale; nil without a current item. Before the item
  /// is opened, the start position in units of 1/600 s.
  package var currentTime: CMTime? { currentTime(of: nil) }

  /// Returns the mean bit rate of the last heard second of item `id`, in bits per second. Thread-safe.
  ///
  /// After a start or a seek the mean covers the heard part only, or the next frames if none was heard yet.
  /// Without decoded frames there the result is the item's overall mean; 0 if unknown or if the queue does
  /// not contain `id`.
  package func bitRate(of id: ItemID) -> Double {
    readTime { machine, now, timing in
      guard let record = machine.queue[id] else { return 0 }
      let heard = machine.current == id ? machine.position(now: now, timing: timing)?.seconds : nil
      return record.bitRates.mean(before: heard ?? record.startSeconds) ?? Double(record.info?.bitRate ?? 0)
    }
  }

  /// Returns the position heard now, like `currentTime`. If `id` is given and is not the current item, returns
  /// the position at which it broke off, until it is passed to `forgetDeparture`; nil for other items.
  package func currentTime(of id: ItemID?) -> CMTime? {
    readTime { machine, now, timing in
      guard let current = machine.current, id == nil || id == current else {
        return machine.departures.first { $0.id == id }?.brokeOffAt
      }
      return machine.position(now: now, timing: timing)?.time
        ?? CMTime(value: CMTimeValue((machine.resting * 600).rounded()), timescale: 600)
    }
  }

  /// The stream's sample rate in frames per second and its latency from the engine to the listener in
  /// seconds; nil while no output is open.
  package var outputProperties: (sampleRate: Int, latency: Double)? {
    readTime { machine, now, timing in
      guard let format = machine.format, let timing else { return nil }
      let waiting = Double(timing.renderedFrames) - timing.heardFrame(at: now)
      return (format.sampleRate, max(0, waiting) / Double(format.sampleRate))
    }
  }

  /// Seeks to `seconds` of the current item, clamped to its length. Unless `isExact`, the position may be
  /// estimated where the bytes of the medium are far from the fetched ones.
  ///
  /// `completion` is called with false at once if no item is current or the position is not seekable. The same
  /// applies to a live stream, and to an item that could not be opened. For an item not opened yet,
  /// `completion` is called with true at once, and playback will start there. Another seek to a seekable
  /// position calls the `completion` of this one with false at once, on its own thread. Otherwise `completion`
  /// is called on the main queue, with true once the decoder has reached the position. The argument is false if
  /// the seek ends before, or if `id` is not current.
  package func seek(
    toSeconds seconds: Double, of id: ItemID? = nil, isExact: Bool = false,
    completion: (@Sendable (Bool) -> Void)? = nil
  ) {
    let ended = callTimed { machine, now, timing in
      let heard = machine.position(now: now, timing: timing)?.seconds
      return machine.seek(to: seconds, of: id, isExact: isExact, heard: heard, completion: completion)
    }
    for seek in ended { seek.completion(seek.finished) }
  }

  /// Ends a pending seek; its handler gets false. The position stays at the seek's target.
  package func cancelPendingSeeks() { call(.call) { $0.endSeek(finished: false) } }

  /// The volume, 0…1, linear in amplitude. At 1 no sample changes.
  package var volume: Float {
    get { read { $0.volume } }
    // NaN compares false and therefore becomes 0 (silence).
    set { call { $0.volume = newValue > 0 ? min(newValue, 1) : 0 } }
  }

  /// Whether the output is silent, whatever the volume.
  package var isMuted: Bool {
    get { read { $0.isMuted } }
    set { call { $0.isMuted = newValue } }
  }

  /// Stops sound on a frame boundary and withholds all deliveries. Does not wait for a call in progress.
  package func suspend() {
    deliveries.gate.close()
    let now = clock.now
    call { $0.setSuspended(true, now: now) }
  }

  /// Whether no frame is heard, whatever happens to this process, because no stream exists or the output has
  /// carried out the last stop. Thread-safe.
  package var isStill: Bool { attachment.withLock { $0 }?.stream.isStill ?? true }

  /// Resumes with the very next frame and delivers the withheld notices and steps in order. Frames of a live
  /// stream are discarded first after a suspension of at least `LiveStream.patience`.
  package func resume() {
    let now = clock.now
    call { $0.setSuspended(false, now: now) }
    deliveries.gate.open()
    deliveries.wake()
  }
}
