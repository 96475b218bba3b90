import Clocks
import Continuo
import Foundation

@testable import NowPlaying

/// The main queue, with an environment that is current in its work.
private final class ScopedMainQueue: DeliveryQueue {
  private let environment: PlaybackEnvironment
  init(_ environment: PlaybackEnvironment) { self.environment = environment }

  func enqueue(_ work: QueuedWork) {
    MainDispatchQueue.shared.enqueue { [environment] in
      PlaybackEnvironment.withCurrent(environment, operation: work.run)
    }
  }
}

/// Tests of an application that other programs of a bus see and command.
protocol PublishingTests {}

extension PublishingTests {
  static var song: [String: Any] {
    [
      MPMediaItemPropertyTitle: "Ground in D", MPMediaItemPropertyArtist: "Purcell",
      MPMediaItemPropertyAlbumTitle: "Grounds", MPMediaItemPropertyPlaybackDuration: 181.5,
      MPNowPlayingInfoPropertyElapsedPlaybackTime: 0, MPNowPlayingInfoPropertyPlaybackRate: 0,
    ]
  }
  static var name: String { "org.mpris.MediaPlayer2.Tester" }

  /// Returns when the main queue has run all that was enqueued before.
  func passMainQueue() async {
    await withCheckedContinuation { continuation in
      MainDispatchQueue.shared.enqueue { continuation.resume() }
    }
  }

  /// Runs a test with a bus, a client and an application, which has an environment of its own.
  func withApplication(
    _ body: (BusStage, BusClient, NowPlayingContext, PlaybackEnvironment) async throws -> Void
  ) async throws {
    let stage = try await BusStage()
    defer { stage.close() }
    let client = try BusClient(stage.address)
    try await client.watchPlayers()
    let environment = PlaybackEnvironment()
    let context = NowPlayingContext(
      address: stage.address, identity: "Tester", mainQueue: ScopedMainQueue(environment))
    try await PlaybackEnvironment.withCurrent(environment) {
      try await body(stage, client, context, environment)
    }
  }
}
