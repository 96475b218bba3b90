import AudioCore
import Clocks
import Testing

@testable import PulseOutput

/// The line through reports of servers that are exact, coarse, late and wrong.
@Suite struct HeardLineFilterTests {
  let rate = 44100.0
  let start = HostTime(nanoseconds: 5_000_000_000)

  /// Plays a server: the true position in seconds at each time, turned into what it reports. Asks for the next report
  /// as the stream does. Returns the line's error against the truth at each 10 ms, and the number of jumps told.
  func play(
    seconds: Double, report: (Double) -> Double, truth: (Double) -> Double
  ) -> (errors: [(time: Double, error: Double)], jumps: Int) {
    var filter = HeardLineFilter(sampleRate: rate)
    var line: HeardLine?
    var next = 0.0
    var interval = 0.005
    var jumps = 0
    var errors: [(time: Double, error: Double)] = []
    for tick in 0..<Int(seconds * 1000) {
      let time = Double(tick) / 1000
      let moment = start.advanced(bySeconds: time)
      if time >= next {
        let report = TimingReport(
          hostTime: moment, readPosition: report(time) * rate, sinkDelay: 0, isPlaying: true)
        let update = line.map { filter.update($0, with: report) } ?? filter.begin(report)
        line = update.line
        if update.jumped { jumps += 1 }
        if let wish = update.nextReport {
          next = time + wish
        } else {
          interval = min(interval * 2, 1.5)
          next = time + interval
        }
      }
      if let line, tick % 10 == 0 { errors.append((time, line.position(at: moment) / rate - truth(time))) }
    }
    return (errors, jumps)
  }

  @Test func exactReportsGiveTheLineAtOnce() {
    let (errors, jumps) = play(seconds: 10, report: { $0 }, truth: { $0 })
    #expect(errors.allSatisfy { abs($0.error) < 1e-7 })
    #expect(jumps == 1)
  }

  @Test(arguments: [100e-6, -300e-6]) func driftIsFollowed(drift: Double) {
    let (errors, jumps) = play(seconds: 60, report: { $0 * (1 + drift) }, truth: { $0 * (1 + drift) })
    #expect(errors.allSatisfy { abs($0.error) < 0.0006 })
    #expect(errors.suffix(1000).allSatisfy { abs($0.error) < 0.0002 })
    #expect(jumps == 1)
  }

  @Test(arguments: [0.05, -0.05, 0.4]) func jumpIsFollowedWithinTwoReports(jump: Double) {
    let position = { (time: Double) in time + (time < 5 ? 0 : jump) }
    let (errors, jumps) = play(seconds: 12, report: position, truth: position)
    #expect(errors.filter { $0.time < 5 || $0.time > 6.6 }.allSatisfy { abs($0.error) < 1e-6 })
    #expect(jumps == 2)
  }

  @Test(arguments: [0.3, -0.3, -0.0015]) func singleWrongReportIsIgnored(by difference: Double) {
    var isWrong = true
    let (errors, jumps) = play(
      seconds: 12,
      report: { time in
        guard time > 5, isWrong else { return time }
        isWrong = false
        return time + difference
      }, truth: { $0 })
    #expect(errors.allSatisfy { abs($0.error) < 1e-6 })
    #expect(jumps == 1)
  }

  @Test(arguments: [0, 1, 2, 3]) func lateFirstReportIsReplaced(late: Int) {
    var number = -1
    let (errors, jumps) = play(
      seconds: 5,
      report: { time in
        number += 1
        return number == late ? time - 0.006 : time
      }, truth: { $0 })
    #expect(errors.filter { $0.time >= 0.02 }.allSatisfy { abs($0.error) < 0.0002 })
    #expect(jumps <= 2)
  }

  @Test(arguments: [1024.0 / 48000, 2048.0 / 48000, 512.0 / 48000]) func quantaAreSmoothed(quantum: Double) {
    // The read index stands at the end of the quantum that is being heard.
    let (errors, jumps) = play(
      seconds: 60, report: { ($0 / quantum).rounded(.down) * quantum + quantum }, truth: { $0 })
    let settled = errors.filter { $0.time > 0.1 }
    #expect(settled.allSatisfy { abs($0.error) < quantum * 0.15 })
    #expect(jumps <= 3)
    // Straight: no step of 10 ms differs by more than 0.5 %.
    for (one, next) in zip(settled, settled.dropFirst()) { #expect(abs(next.error - one.error) < 0.00006) }
  }

  @Test func quantaWithAJumpAreFollowed() {
    let quantum = 1024.0 / 48000
    let shift = { (time: Double) in time < 20 ? 0.0 : -0.5 }
    let (errors, _) = play(
      seconds: 40, report: { ($0 / quantum).rounded(.down) * quantum + quantum + shift($0) },
      truth: { $0 + shift($0) })
    #expect(errors.filter { $0.time > 22 }.allSatisfy { abs($0.error) < 0.004 })
  }
}

/// Numbers of frames against places in the stream.
@Suite struct StreamPositionsTests {
  @Test func framesTakeThePlaceOfOthers() {
    var positions = StreamPositions()
    positions.append(1000)
    _ = positions.flush(at: 600)
    positions.append(500)
    positions.append(50, from: 1300)
    #expect(positions.renderedFrames == 1350)
    #expect(positions.endPosition == 950)
    #expect(positions.frame(at: 900) == 1300)
  }

  @Test func flushGoesOnWithTheNextNumber() {
    var positions = StreamPositions()
    positions.append(1000)
    #expect(positions.frame(at: 400.5) == 400.5)
    #expect(positions.frame(at: 2000) == 1000)
    #expect(positions.frame(at: -3) == 0)
    #expect(positions.flush(at: 600) == 600)
    #expect(positions.frame(at: 500) == 1000)
    #expect(positions.basePosition == 600)
    positions.append(50)
    #expect(positions.frame(at: 620) == 1020)
    #expect(positions.renderedFrames == 1050)
    #expect(positions.endPosition == 650)
    #expect(positions.position(ofFrame: 1020) == 620)
    #expect(positions.flush(at: 650) == 1050)
  }
}
