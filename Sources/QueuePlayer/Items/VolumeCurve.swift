/// A volume that changes with time: 1 before its first ramp, and behind each ramp that one's end.
struct VolumeCurve: Hashable, Sendable {
  /// An even change; one that takes no time sets the volume.
  struct Ramp: Hashable, Sendable {
    /// In seconds.
    var start: Double
    var end: Double
    var from: Float
    var to: Float
  }

  /// By their starts, none of which is there twice.
  private var ramps: [Ramp] = []

  mutating func add(_ ramp: Ramp) {
    ramps.removeAll { $0.start == ramp.start }
    let index = ramps.firstIndex { $0.start > ramp.start } ?? ramps.endIndex
    ramps.insert(ramp, at: index)
  }

  /// Gives interleaved frames their volume. The first one is at `time`, in seconds.
  func apply(
    to frames: UnsafeMutableBufferPointer<Float>, channelCount: Int, sampleRate: Int, from time: Double
  ) {
    let count = frames.count / channelCount
    let rate = Double(sampleRate)
    /// The first frame at or behind a moment. A millionth of a frame is rounding.
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
