import Clocks
import PulseTestSupport

/// When each frame of a capture was heard, as far as the monitor of a null sink with `norewinds=1` shows it.
///
/// Such a sink renders 50 ms at once, at the moment at which the first frame of it is heard, and shows that to its
/// monitor. So the first piece of each batch came when its first frame was heard, plus what the way here took; the
/// fastest way is taken for all.
struct HeardTimes {
  /// When frame 0 of the capture was heard, in seconds of the monotonic clock.
  let origin: Double
  /// Of the batches' ways: how much longer than the fastest, in seconds, in order.
  let delays: [Double]

  init(_ recording: MonitorCapture.Recording) {
    var origins: [Double] = []
    var last = -1.0
    for (index, time) in recording.arrivals {
      if time.seconds - last > 0.01 { origins.append(time.seconds - Double(index) / 44100) }
      last = time.seconds
    }
    origins.sort()
    let origin = origins.first ?? .nan
    self.origin = origin
    delays = origins.map { $0 - origin }
  }

  /// When a frame of the capture was heard.
  subscript(frame: Int) -> Double { origin + Double(frame) / 44100 }
}

/// Some figures of how far off something was, in milliseconds.
struct Spread: CustomStringConvertible {
  private let sorted: [Double]

  /// Of differences in seconds, with whatever sign.
  init(_ seconds: [Double]) { sorted = seconds.map { abs($0) * 1000 }.sorted() }

  /// The value that this part of them does not exceed.
  func quantile(_ part: Double) -> Double {
    sorted.isEmpty ? .nan : sorted[min(sorted.count - 1, Int(part * Double(sorted.count)))]
  }

  var description: String {
    func text(_ value: Double) -> String { "\((value * 1000).rounded() / 1000)" }
    return
      "p50 \(text(quantile(0.5))) ms, p99 \(text(quantile(0.99))) ms, maximum \(text(quantile(1))) ms of \(sorted.count)"
  }
}
