import AudioOutput

/// How the device's sound output behaves.
public struct TestOutput: Hashable, Sendable {
  var personality = SimulatedOutput.Personality()

  /// Plays from the first moment on, without delay or loss.
  public static let ideal = TestOutput()

  /// It takes no sound between those moments, as a server does that is overloaded or whose sink is busy, and
  /// goes on after that with the next frame.
  public static func starving(from start: Duration, until end: Duration) -> TestOutput {
    TestOutput { $0.suspension = min(start, end).inSeconds..<max(start, end).inSeconds }
  }

  /// The server goes away at `moment` and loses its buffered sound. From `returning` on it can be connected
  /// to again; never if that is nil.
  public static func vanishing(at moment: Duration, returning: Duration? = nil) -> TestOutput {
    TestOutput {
      $0.death = moment.inSeconds
      $0.revival = returning?.inSeconds
    }
  }

  /// The stream is moved to another sink at `moment`.
  public static func moving(at moment: Duration) -> TestOutput { TestOutput { $0.move = moment.inSeconds } }

  /// There is no output: every attempt to connect fails after `delay`.
  public static func absent(noticedAfter delay: Duration = .zero) -> TestOutput {
    TestOutput {
      $0.failingConnections = .max
      $0.connectDelay = delay.inSeconds
    }
  }

  /// Other applications sound between those moments, and the listener has set that volume, from 0 to 1.
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
