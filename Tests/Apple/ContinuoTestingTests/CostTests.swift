import Continuo
import Foundation
import Synchronization
import Testing

@testable import ContinuoTesting

/// What virtual time costs: counted in runs of workers, which are the same on every machine. Its processor time is printed.
@MainActor
@Suite("The cost of virtual time")
struct CostTests {
  /// A part of a song; returns how often workers ran.
  private static func play(minutes: Int = 30, recordsSound: Bool, isObserved: Bool) async -> Int {
    let before = processorTime
    let steps = Atomic(0)
    let runs = await withTestDevice(modes: [.audio], recordsSound: recordsSound) { device in
      let song = device.song("song", duration: .seconds(3600))
      await device.launch()
      let player = AVPlayer(url: song.url)
      if isObserved {
        _ = player.addPeriodicTimeObserver(forInterval: CMTime(value: 1, timescale: 100), queue: nil) { _ in
          steps.add(1, ordering: .relaxed)
        }
      }
      player.play()
      await device.advance(by: .seconds(minutes * 60))
      precondition(abs(player.currentTime().seconds - Double(minutes * 60)) < 0.001)
      if recordsSound {
        precondition(device.heard.passages == [.init(song: "song", frames: 0..<79_380_000)])
      }
      return device.hostClock.runCount
    }
    // The step at the very end comes a nanosecond later.
    precondition(steps.load(ordering: .relaxed) == (isObserved ? Int64(minutes) * 6_000 : 0))
    let seconds = processorTime - before
    FileHandle.standardError.write(
      Data(
        "\(minutes) minutes, recorded \(recordsSound), observed \(isObserved): \(runs) runs, \(seconds) s\n"
          .utf8))
    return runs
  }

  /// Of this process, in seconds.
  private nonisolated static var processorTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private static func show(_ result: ExitTest.Result?) {
    FileHandle.standardError.write(Data(result?.standardErrorContent ?? []))
  }

  // In processes of their own, so that their processor time is that of this alone.

  @Test(
    "half an hour that nobody observes: four runs a second at most, also with a record of the sound",
    arguments: [false, true])
  func unobserved(isRecorded: Bool) async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      @MainActor [isRecorded] in
      let runs = await CostTests.play(recordsSound: isRecorded, isObserved: false)
      precondition(runs < 7_200, "\(runs) runs")
    }
    Self.show(result)
  }

  @Test("an observer adds a run for each of its steps")
  func observed() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      @MainActor in
      let runs = await CostTests.play(minutes: 5, recordsSound: false, isObserved: true)
      precondition(runs < 50_000, "\(runs) runs")
    }
    Self.show(result)
  }
}
