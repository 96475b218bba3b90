/// A volume that changes with time: 1 before the first ramp, and after each ramp its end value.
package struct VolumeCurve: Hashable, Sendable {
  /// A linear change of the volume. A ramp without duration sets the volume.
  package struct Ramp: Hashable, Sendable {
    /// The start and end times, in seconds.
    package var start: Double
    package var end: Double
    /// The volumes at the start and at the end.
    package var from: Float
    package var to: Float

    package init(start: Double, end: Double, from: Float, to: Float) {
      self.start = start
      self.end = end
      self.from = from
      self.to = to
    }
  }

  /// The ramps, sorted by their start times, which are unique.
  private var ramps: [Ramp] = []

  package init() {}

  /// Adds a ramp, in place of one with the same start.
  package mutating func add(_ ramp: Ramp) {
    ramps.removeAll { $0.start == ramp.start }
    let index = ramps.firstIndex { $0.start > ramp.start } ?? ramps.endIndex
    ramps.insert(ramp, at: index)
  }

  /// Applies the volume to interleaved frames, of which the first is at `time`, in seconds.
  package func apply(
    to frames: UnsafeMutableBufferPointer<Float>, channelCount: Int, sampleRate: Int, from time: Double
  ) {
    let count = frames.count / channelCount
    let rate = Double(sampleRate)
    /// Returns the first frame at or after a time. Differences below 1e-6 frames are rounding errors.
    func frame(at moment: Double) -> Int {
      Int(min(max(((moment - time) * rate - 1e-6).rounded(.up), 0), Double(count)))
    }
    for (index, ramp) in ramps.enumerated() {
      let end = index + 1 < ramps.count ? frame(at: ramps[index + 1].start) : count
      let start = min(frame(at: ramp.start), end)
      let level = min(max(frame(at: ramp.end), start), end)
      let slope = Double(ramp.to - ramp.from) / (ramp.end - ramp.start)
      for index in start..<level {
        let volume = Float(Double(ramp.from) + slope * (time + Double(index) / rate - ramp.start))
        for sample in index * channelCount..<(index + 1) * channelCount { frames[sample] *= volume }
      }
      if ramp.to != 1 {
        for sample in level * channelCount..<end * channelCount { frames[sample] *= ramp.to }
      }
    }
  }
}

/// The volume of one item, as requested by the item's audio mix and track.
package struct ItemMix: Hashable, Sendable {
  package var isSilent: Bool
  /// The volume over the item's time; nil for 1.
  package var volume: VolumeCurve?

  /// Creates a mix. Without arguments, samples stay the decoder's, bit for bit.
  package init(isSilent: Bool = false, volume: VolumeCurve? = nil) {
    self.isSilent = isSilent
    self.volume = volume
  }
}
