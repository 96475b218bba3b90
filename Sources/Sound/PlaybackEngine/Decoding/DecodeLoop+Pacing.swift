import AudioCore
import HostTime

extension DecodeLoop {
  // MARK: At another speed than 1

  /// Runs one step at a speed other than 1: delivers the stretcher's output, or feeds the stretcher.
  func decode(
    _ item: ItemID, at pace: Pace, volume: ItemVolume, end: Double?,
    into region: UnsafeMutableBufferPointer<Float>, format: PCMFormat, state: inout State,
    host: any DecodingHost
  ) -> WorkerNext {
    if state.paced?.pace != pace {
      do throws(TimeStretchError) {
        guard let stretching else { throw TimeStretchError("no means to play at other rates than 1") }
        state.paced = try PacedSound(
          generation: state.generation, pace: pace, format: format, stretching: stretching)
      } catch {
        let (now, generation) = (host.clock.now, state.generation)
        let failure = DecodingError(reason: .unusable, message: error.message)
        host.mutate { $0.decoderFailed(item, error: failure, generation: generation, now: now) }
        host.signalConductor()
        return .again
      }
      if state.history == nil { state.history = SoundHistory(channelCount: format.channelCount) }
    }
    if !state.isBegun {
      state.isBegun = true
      state.paced?.begin(item, origin: state.origin)
    }
    if handOver(into: region, format: format, state: &state, host: host) { return .again }
    // Scaling the input by the speed keeps the stretcher's output within one slice as well.
    let limit = min(Self.slice, max(Self.slice / 64, Int(Double(Self.slice) * pace.speed)))
    var input: [Float] = []
    swap(&input, &state.input)
    if input.count != Self.slice * format.channelCount {
      input = [Float](repeating: 0, count: Self.slice * format.channelCount)
    }
    let isWaiting = input.withUnsafeMutableBufferPointer { buffer in
      guard
        let (count, ending) = read(
          item, into: buffer, limit: limit, volume: volume, end: end, state: &state, host: host)
      else { return true }
      let frames = UnsafeBufferPointer(rebasing: buffer[..<(count * format.channelCount)])
      if state.fadesSource, count > 0 {
        state.fadesSource = false
        state.fading = FadingSound(
          Array(frames.prefix(Self.fadeFrames(format) * format.channelCount)),
          channelCount: format.channelCount)
      }
      if count > 0 { state.paced?.put(frames) }
      if ending != .none { state.paced?.end(ending) }
      return false
    }
    swap(&input, &state.input)
    return isWaiting ? .whenSignalled : .again
  }

  /// Commits the stretcher's available output to the ring. Returns false if none is available.
  private func handOver(
    into region: UnsafeMutableBufferPointer<Float>, format: PCMFormat, state: inout State,
    host: any DecodingHost
  ) -> Bool {
    let part = UnsafeMutableBufferPointer(
      rebasing: region[..<min(region.count, Self.slice * format.channelCount)])
    guard let chunk = state.paced?.receive(into: part) else { return false }
    commit(chunk, in: part, state: &state, host: host)
    return true
  }

  /// Drains the stretcher by one step, because no more input follows or the next input has another speed.
  func drain(_ state: inout State, host: any DecodingHost) -> WorkerNext {
    guard let format = state.format, let region = room(&state, host: host) else { return .whenSignalled }
    if !handOver(into: region, format: format, state: &state, host: host) { state.paced?.putSilence() }
    if state.paced?.isPending == false { state.paced = nil }
    return .again
  }
}
