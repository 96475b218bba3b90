import AudioCore
import Clocks

// Decoding at speeds other than 1.
extension DecodeLoop {
  /// Runs one step at a speed other than 1: delivers the stretcher's output, or feeds the stretcher.
  mutating func decode(
    _ item: ItemID, at pace: Pace, volume: ItemVolume, end: Double?,
    into region: UnsafeMutableBufferPointer<Float>, format: PCMFormat, engine: PlaybackEngine
  ) -> WorkerNext {
    if paced?.pace != pace {
      do throws(TimeStretchError) {
        guard let stretching = engine.stretching else {
          throw TimeStretchError("no means to play at other rates than 1")
        }
        paced = try PacedSound(generation: generation, pace: pace, format: format, stretching: stretching)
      } catch {
        let (now, generation) = (engine.clock.now, generation)
        let failure = DecodingError(reason: .unusable, message: error.message)
        engine.mutate { $0.decoderFailed(item, error: failure, generation: generation, now: now) }
        engine.signalConductor()
        return .again
      }
      if history?.format != format {
        // The device may hold 1.5 s.
        history = SoundHistory(format, capacity: PlaybackEngine.ringFrames + format.sampleRate * 3 / 2)
      }
    }
    if !isBegun, paced?.isDraining == true { return drain(engine) }
    if handOver(into: region, format: format, engine: engine) { return .again }
    // Scaling the input by the speed keeps the stretcher's output within one slice as well.
    let limit = min(Self.slice, max(Self.slice / 64, Int(Double(Self.slice) * pace.speed)))
    var input: [Float] = []
    swap(&input, &self.input)
    if input.count != Self.slice * format.channelCount {
      input = [Float](repeating: 0, count: Self.slice * format.channelCount)
    }
    let isWaiting = input.withUnsafeMutableBufferPointer { buffer in
      guard
        let (count, ending) = read(item, into: buffer, limit: limit, volume: volume, end: end, engine: engine)
      else { return true }
      if !isBegun {
        isBegun = true
        paced?.begin(item, origin: origin)
      }
      let frames = UnsafeBufferPointer(rebasing: buffer[..<(count * format.channelCount)])
      if fadesSource, count > 0 {
        fadesSource = false
        fading = FadingSound(
          Array(frames.prefix(FadingSound.frameCount(format) * format.channelCount)),
          channelCount: format.channelCount)
      }
      if count > 0 { paced?.put(frames) }
      if ending != .none { paced?.end(ending) }
      return false
    }
    swap(&input, &self.input)
    guard isWaiting else { return .again }
    return !isBegun && paced?.isPending == true ? drain(engine) : .whenSignalled
  }

  /// Commits the stretcher's available output to the ring. Returns false if none is available.
  private mutating func handOver(
    into region: UnsafeMutableBufferPointer<Float>, format: PCMFormat, engine: PlaybackEngine
  ) -> Bool {
    let part = UnsafeMutableBufferPointer(
      rebasing: region[..<min(region.count, Self.slice * format.channelCount)])
    guard let chunk = paced?.receive(into: part) else { return false }
    commit(chunk, in: part, engine: engine)
    return true
  }

  /// Drains the stretcher by one step, because no more input follows, or the next input is late or has another
  /// speed or algorithm.
  mutating func drain(_ engine: PlaybackEngine) -> WorkerNext {
    guard let format = paced?.format, let region = room(engine) else { return .whenSignalled }
    if !handOver(into: region, format: format, engine: engine) { paced?.putSilence() }
    if paced?.isPending == false { paced = nil }
    return .again
  }
}
