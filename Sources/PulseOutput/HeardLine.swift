import AudioCore

/// A heard position that moves evenly: `position` at `time`, `rate` frames in a second of host time.
struct HeardLine: Hashable, Sendable {
  var position: Double
  var time: HostTime
  var rate: Double

  /// The position at `moment`.
  func position(at moment: HostTime) -> Double { position + moment.seconds(since: time) * rate }

  /// When the line reaches `place`.
  func time(ofPosition place: Double) -> HostTime { time.advanced(bySeconds: (place - position) / rate) }
}

/// Draws the line through the server's reports.
struct HeardLineFilter: Sendable {
  private let sampleRate: Double

  init(sampleRate: Double) { self.sampleRate = sampleRate }

  mutating func reset() {}

  mutating func begin(_ report: TimingReport) -> HeardLine {
    HeardLine(position: report.heardPosition, time: report.hostTime, rate: sampleRate)
  }

  mutating func update(_ line: HeardLine, with report: TimingReport, now: HostTime) -> (
    HeardLine, jumped: Bool
  ) {
    let error = report.heardPosition - line.position(at: report.hostTime)
    return (begin(report), jumped: abs(error) > sampleRate * 0.002)
  }
}
