import AudioOutput

/// The behaviour of the device's audio output.
public struct TestOutput: Hashable, Sendable {
  var personality = SimulatedOutput.Personality()

  /// An output that plays immediately, without delay or loss.
  public static let ideal = TestOutput()

  /// Returns an output that plays nothing between the given times, like a suspended sink, and then continues.
  public static func starving(from start: Duration, until end: Duration) -> TestOutput {
    TestOutput { $0.suspension = min(start, end).inSeconds..<max(start, end).inSeconds }
  }

  /// Returns an output whose server disconnects at `moment`, loses the buffered audio, and accepts
  /// connections again from `returning` on; never again for nil.
  public static func vanishing(at moment: Duration, returning: Duration? = nil) -> TestOutput {
    TestOutput {
      $0.death = moment.inSeconds
      $0.revival = returning?.inSeconds
    }
  }

  /// Returns an output whose stream is moved to another sink at `moment` on the device's clock.
  public static func moving(at moment: Duration) -> TestOutput { TestOutput { $0.move = moment.inSeconds } }

  /// Returns a missing output, to which every connection attempt fails after `delay`.
  public static func absent(noticedAfter delay: Duration = .zero) -> TestOutput {
    TestOutput {
      $0.failingConnections = .max
      $0.connectDelay = delay.inSeconds
    }
  }

  /// Returns an output shared with other applications, which play between the given times. `volume` is the
  /// volume of the output, 0…1.
  public static func besideOthers(
    from start: Duration, until end: Duration, volume: Float = 1
  ) -> TestOutput {
    TestOutput {
      $0.otherAudio = min(start, end).inSeconds..<max(start, end).inSeconds
      $0.volume = volume
    }
  }

  private init(_ change: (inout SimulatedOutput.Personality) -> Void = { _ in }) { change(&personality) }
}

extension Duration {
  fileprivate var inSeconds: Double { self / .seconds(1) }
}
