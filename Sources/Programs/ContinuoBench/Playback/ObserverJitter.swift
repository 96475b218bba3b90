import Foundation

/// The accuracy of Continuo's 1/100 s observer: the time of each call compared with the time at which its
/// frame is heard.
///
/// The events contain the times of the calls, and the monitor's capture contains the time at which each frame
/// was heard. The sound connects both: the file is rendered again to memory and located in the capture,
/// sample by sample.
struct ObserverJitter {
  let bench: Bench
  let server: AudioServer
  let continuo: String

  private struct Event: Decodable {
    var event: String
    var index: Int?
    var value: Int64?
    var timescale: Int32?
    var host: Double
  }

  func run() throws -> Table {
    Bench.say("jitter: \(fixed(bench.seconds, 0)) s")
    let file = bench.files[0]
    let reference = try render(file)
    let wakeUps = WakeUps()
    let (recording, events) = try record(file)
    let lateness = wakeUps.stop()
    let heard = try recording.heardTime()
    let first = try locate(reference, in: recording)
    let same = contiguous(reference, in: recording, from: first)

    // Steps have the timescale of the interval. Calls at a start or a jump have the media's timescale and are
    // left out.
    let steps = events.filter { $0.event == "time" && $0.index == 0 && $0.timescale == 100 }
      .compactMap { event in event.value.map { (value: $0, host: event.host) } }
    guard let last = steps.last, steps.count > 10 else {
      throw BenchError("\(steps.count) time steps in the events")
    }
    let missing = Int(last.value) + 1 - Set(steps.map(\.value)).count
    let disorder = zip(steps, steps.dropFirst()).count { $0.value >= $1.value }

    let errors = steps.map { step in
      step.host - heard(Double(first) + Double(step.value) / 100 * AudioServer.rate)
    }
    let line = Line.leastSquares(steps.map { (Double($0.value) / 100, $0.host) })
    let scatter = steps.map { step in step.host - (line?(Double(step.value) / 100) ?? .nan) }

    var table = Table(
      title:
        "Observer every 1/100 s: time of call against time that frame is heard, in ms (\(steps.count) calls)",
      header: ["reading", "median, signed", "p50 |x|", "p99 |x|", "max |x|"])
    table.rows = [row("call − heard", errors), row("scatter around a line", scatter)]
    table.rows.append(row("floor: a thread that sleeps", lateness))
    table.rows.append(
      row("floor: bursts of the capture", recording.bursts.map { $0.time - heard(Double($0.frame)) }))
    table.notes = [
      "steps 0…\(last.value): \(missing) missing, \(disorder) out of order or twice",
      "clock: calls run \(fixed(((line?.slope ?? .nan) - 1) * 1e6, 0)) ppm slow against the host, "
        + "the sink \(fixed((heard.slope * AudioServer.rate - 1) * 1e6, 0)) ppm",
      same.difference < 1e-3
        ? "sound: \(fixed(same.seconds, 2)) s in the monitor as rendered, no frame missing"
        : "sound: the monitor leaves the rendered sound (largest difference \(same.difference)): frames are missing",
      "The floors show how late this machine wakes any thread: one that sleeps 10 ms at a time; the capture's blocks.",
      "The shortest way through the capture (0.05 to 0.1 ms) is part of \"heard\": so much early is on time.",
    ]
    return table
  }

  private func row(_ name: String, _ errors: [Double]) -> [String] {
    let signed = Readings(errors.map { $0 * 1_000 })
    let size = Readings(errors.map { abs($0) * 1_000 })
    return [name, fixed(signed.median, 3)] + [50.0, 99, 100].map { fixed(size.percentile($0), 3) }
  }

  private func render(_ file: String) throws -> WAVFile {
    let path = bench.scratch + "/reference.wav"
    defer { unlink(path) }
    let wav = try Renderer.continuo(continuo).render([file], to: path, for: bench)
    guard wav.rate == Int(AudioServer.rate), wav.channels == 2 else {
      throw BenchError("jitter needs a stereo file of 44.1 kHz as the first one")
    }
    return wav
  }

  private func record(_ file: String) throws -> (Recording, [Event]) {
    let path = CommandPlayer.eventsPath(server)
    unlink(path)
    let capture = try MonitorCapture(server)
    do {
      let player = CommandPlayer.continuoObserved(continuo)
      let child = try player.play([file], on: server)
      usleep(useconds_t((bench.seconds + 0.5) * 1_000_000))
      _ = try player.stop(child)
    } catch {
      _ = try? capture.stop()
      throw error
    }
    let recording = try capture.stop()
    let decoder = JSONDecoder()
    let events = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").compactMap { line in
      // The last line may be incomplete, since the process was terminated.
      try? decoder.decode(Event.self, from: Data(line.utf8))
    }
    return (recording, events)
  }

  /// Returns the captured frame that corresponds to frame 0 of the file.
  private func locate(_ reference: WAVFile, in recording: Recording) throws -> Int {
    guard let heard = recording.firstSound(),
      let loud = reference.samples.firstIndex(where: { abs($0) > 1e-4 })
    else { throw BenchError("nothing was heard") }
    let window = 2_000
    let start = loud / 2
    guard start + window <= reference.frameCount else { throw BenchError("the first file is too short") }
    var best = (frame: 0, difference: Float.infinity)
    for shift in -200...200 {
      let at = heard + shift
      guard at >= 0, at + window <= recording.frameCount else { continue }
      var difference: Float = 0
      for frame in 0..<window {
        difference += abs(recording.samples[(at + frame) * 2] - reference.samples[(start + frame) * 2])
      }
      if difference < best.difference { best = (at - start, difference) }
    }
    guard best.difference / Float(window) < 1e-3 else {
      throw BenchError("the sound in the monitor is not the file's")
    }
    return best.frame
  }

  /// Compares the capture with the file, sample by sample, until the player was stopped. Returns the compared
  /// duration and the largest difference.
  private func contiguous(
    _ reference: WAVFile, in recording: Recording, from first: Int
  ) -> (seconds: Double, difference: Float) {
    guard let lastLoud = recording.samples.lastIndex(where: { $0 != 0 }) else { return (0, .infinity) }
    let frames = min(lastLoud / 2 - first, reference.frameCount)
    var difference: Float = 0
    for index in max(0, -first * 2)..<max(0, frames * 2) {
      difference = max(difference, abs(recording.samples[first * 2 + index] - reference.samples[index]))
    }
    return (Double(frames) / AudioServer.rate, difference)
  }
}
