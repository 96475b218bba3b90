import Clocks
import Continuo
import ContinuoTesting
import Foundation
import PulseTestSupport
import Synchronization
import TestSupport
import Testing

@testable import AudioSession
@testable import NowPlaying

/// The centers on a real bus of their own, with playerctl and a client of the same library as others.
@Suite struct NowPlayingTests: PublishingTests {
  @Test func playerctlSeesTheItem() async throws {
    try await withApplication { stage, client, context, _ in
      // playerctl asks those for metadata that can play.
      await MainActor.run {
        context.commands.playCommand.addTarget { _ in .success }
        context.center.nowPlayingInfo = Self.song
      }
      try await client.awaitName(Self.name)
      #expect(try await stage.playerctl("--list-all").text == "Tester")
      #expect(try await stage.playerctl("status").text == "Paused")
      let format = "{{artist}}|{{album}}|{{title}}|{{mpris:length}}"
      let metadata = try await stage.playerctl("metadata", "--format", format)
      #expect(metadata.text == "Purcell|Grounds|Ground in D|181500000")
      // What changes in one turn of the main queue arrives with one signal.
      await MainActor.run {
        context.center.nowPlayingInfo?[MPMediaItemPropertyTitle] = "Another"
        context.center.nowPlayingInfo?[MPNowPlayingInfoPropertyPlaybackRate] = 1.0
      }
      try await client.awaits("PlaybackStatus", .string("Playing"))
      let title = try await stage.playerctl("metadata", "title")
      #expect(title.text == "Another")
      #expect(client.signals.value.filter { $0.member == "PropertiesChanged" }.count == 1)
      // Nothing is played any more.
      context.center.nowPlayingInfo = nil
      try await client.awaits("PlaybackStatus", .string("Stopped"))
      #expect(try await stage.playerctl("status").text == "Stopped")
    }
  }

  @Test func thePositionIsComputedAndSeeksAreTold() async throws {
    try await withApplication { stage, client, context, _ in
      var info = Self.song
      info[MPNowPlayingInfoPropertyElapsedPlaybackTime] = 20
      info[MPNowPlayingInfoPropertyPlaybackRate] = 2
      let before = SystemClock.shared.now
      context.center.nowPlayingInfo = info
      let after = SystemClock.shared.now
      try await client.awaitName(Self.name)
      let earliest = SystemClock.shared.now
      let position = try #require(try await client.property(Self.name, "Position")?.number) / 1e6
      let latest = SystemClock.shared.now
      #expect(position >= 20 + 2 * earliest.seconds(since: after) - 1e-5)
      #expect(position <= 20 + 2 * latest.seconds(since: before) + 1e-5)

      // A jump.
      info[MPNowPlayingInfoPropertyElapsedPlaybackTime] = 100
      context.center.nowPlayingInfo = info
      let signals = try await client.signals.wait(for: "the seek") { $0.contains { $0.member == "Seeked" } }
      let place = try #require(signals.last { $0.member == "Seeked" }?.arguments.first?.number) / 1e6
      #expect(abs(place - 100) < 10)
      // Paused it stands still, where it was computed to be.
      context.center.playbackState = .paused
      try await client.awaits("PlaybackStatus", .string("Paused"))
      let paused = try await client.property(Self.name, "Position")
      #expect(try await client.property(Self.name, "Position") == paused)
      #expect(try #require(paused?.number) >= 100e6)
      // Without an elapsed time the item goes on from there.
      info[MPNowPlayingInfoPropertyElapsedPlaybackTime] = nil
      context.center.nowPlayingInfo = info
      #expect(try await client.property(Self.name, "Position") == paused)
      // Another item begins anew.
      info[MPMediaItemPropertyTitle] = "Another"
      context.center.nowPlayingInfo = info
      _ = try await client.signals.wait(for: "the other item") {
        guard case .dictionary(let metadata)? = BusClient.last("Metadata", in: $0) else { return false }
        return metadata["xesam:title"] == .string("Another")
      }
      #expect(try await client.property(Self.name, "Position") == .int64(0))
    }
  }

  @Test func changeOfStateKeepsThePlace() {
    let clock = VirtualClock()
    let center = MPNowPlayingInfoCenter(clock: clock) {}
    center.nowPlayingInfo = [
      MPNowPlayingInfoPropertyElapsedPlaybackTime: 20, MPNowPlayingInfoPropertyPlaybackRate: 2,
    ]
    clock.advance(bySeconds: 5)
    center.playbackState = .paused
    clock.advance(bySeconds: 5)
    #expect(center.shown.state.position(at: clock.now) == .int64(30_000_000))
  }

  @Test func thePictureOfASuspendedApplicationIsNotAskedFor() async throws {
    try await withApplication { _, client, context, environment in
      let calls = Observed(0)
      let artwork = MPMediaItemArtwork(boundsSize: CGSize(width: 1, height: 1)) { _ in
        calls.update { $0 += 1 }
        return UIImage()
      }
      context.center.nowPlayingInfo = Self.song.merging([MPMediaItemPropertyArtwork: artwork]) { $1 }
      try await client.awaitName(Self.name)
      #expect(calls.value == 1)
      environment.suspension.suspendAll()
      context.center.nowPlayingInfo?[MPNowPlayingInfoPropertyPlaybackRate] = 1.0
      await passMainQueue()
      #expect(calls.value == 1)
      environment.suspension.resumeAll()
      try await client.awaits("PlaybackStatus", .string("Playing"))
      #expect(calls.value == 2)
    }
  }

  @Test func aSuspensionHoldsOnePublication() async throws {
    try await withApplication { _, client, context, environment in
      context.center.nowPlayingInfo = Self.song
      try await client.awaitName(Self.name)
      environment.suspension.suspendAll()
      for title in 1...1000 {
        context.center.nowPlayingInfo?[MPMediaItemPropertyTitle] = "\(title)"
        await passMainQueue()
      }
      #expect(environment.suspension.state.withLock { $0.held.count } == 1)
      environment.suspension.resumeAll()
      let signals = try await client.signals.wait(for: "the last title") {
        guard case .dictionary(let metadata)? = BusClient.last("Metadata", in: $0) else { return false }
        return metadata["xesam:title"] == .string("1000")
      }
      #expect(signals.filter { $0.member == "PropertiesChanged" }.count == 1)
      // A termination drops it, and the next launch publishes again.
      environment.suspension.suspendAll()
      context.center.nowPlayingInfo?[MPMediaItemPropertyTitle] = "Dropped"
      await passMainQueue()
      environment.suspension.terminateAll()
      context.center.nowPlayingInfo?[MPMediaItemPropertyTitle] = "Ended"
      await passMainQueue()
      environment.suspension.launch()
      context.center.nowPlayingInfo?[MPMediaItemPropertyTitle] = "Again"
      try await client.shows(title: "Again", by: Self.name)
    }
  }

  @Test func thePictureIsAFileForThisUser() async throws {
    try await withApplication { _, client, context, _ in
      func picture(_ side: UInt8) throws -> UIImage {
        try #require(
          UIImage(
            data: Data(
              [
                0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0,
                side,
              ]
                + [0, 0, 0, side])))
      }
      func path() async throws -> String? {
        guard case .dictionary(let metadata)? = try await client.property(Self.name, "Metadata") else {
          return nil
        }
        return metadata["mpris:artUrl"]?.text.flatMap { URL(string: $0)?.path }
      }
      let first = try picture(1)
      let artwork = MPMediaItemArtwork(boundsSize: first.size) { size in
        #expect(MainDispatchQueue.isCurrent)
        #expect(size == first.size)
        // Most applications decode a picture each time.
        return UIImage(data: first.data) ?? first
      }
      context.center.nowPlayingInfo = Self.song.merging([MPMediaItemPropertyArtwork: artwork]) { $1 }
      try await client.awaitName(Self.name)
      let shown = try #require(try await path())
      #expect(FileManager.default.contents(atPath: shown) == first.data)
      let folder = URL(fileURLWithPath: shown).deletingLastPathComponent().path
      let mode = try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions] as? NSNumber
      #expect(mode?.intValue == 0o700)
      // A change of something else leaves it; another one takes its place.
      context.center.nowPlayingInfo?[MPNowPlayingInfoPropertyPlaybackRate] = 1
      try await client.awaits("PlaybackStatus", .string("Playing"))
      #expect(try await path() == shown)
      #expect(FileManager.default.contents(atPath: shown) == first.data)
      context.center.nowPlayingInfo?[MPMediaItemPropertyArtwork] = MPMediaItemArtwork(image: try picture(2))
      _ = try await client.signals.wait(for: "the other picture") {
        guard case .dictionary(let metadata)? = BusClient.last("Metadata", in: $0) else { return false }
        return metadata["mpris:artUrl"]?.text.map { !$0.hasSuffix(shown) } ?? false
      }
      #expect(!FileManager.default.fileExists(atPath: shown))
      context.center.nowPlayingInfo = nil
      try await client.awaits("PlaybackStatus", .string("Stopped"))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
    }
  }

  @Test func aSecondProcessHasANameOfItsOwn() async throws {
    try await withApplication { stage, client, context, _ in
      context.center.nowPlayingInfo = Self.song
      try await client.awaitName(Self.name)
      let second = NowPlayingContext(address: stage.address, identity: "Tester")
      second.center.nowPlayingInfo = Self.song
      try await client.awaitName("\(Self.name).instance\(getpid())")
    }
  }

  @Test func withoutABusEverythingIsKept() async throws {
    let stage = try await BusStage()
    defer { stage.close() }
    let context = NowPlayingContext(address: stage.address, identity: "Tester")
    try await stage.killDaemon()
    context.center.nowPlayingInfo = Self.song
    context.center.playbackState = .playing
    context.commands.skipForwardCommand.preferredIntervals = [7]
    context.commands.playCommand.addTarget { _ in .success }
    #expect(context.center.nowPlayingInfo?[MPMediaItemPropertyTitle] as? String == "Ground in D")
    #expect(context.center.playbackState == .playing)
    #expect(context.commands.skipForwardCommand.preferredIntervals == [7])
    #expect(context.commands.playCommand.isEnabled)
  }

  @Test func whenTheBusIsLostEverythingIsKept() async throws {
    try await withApplication { stage, client, context, _ in
      context.center.nowPlayingInfo = Self.song
      try await client.awaitName(Self.name)
      try await stage.killDaemon()
      _ = try await client.hasEnded.wait(for: "the end") { $0 }
      context.center.nowPlayingInfo?[MPMediaItemPropertyTitle] = "Later"
      #expect(context.center.nowPlayingInfo?[MPMediaItemPropertyTitle] as? String == "Later")
    }
  }

  @Test func aBusThatIsStartedAgainShowsTheItemAgain() async throws {
    try await withApplication { stage, client, context, _ in
      context.center.nowPlayingInfo = Self.song
      try await client.awaitName(Self.name)
      for title in ["Second", "Third"] {
        try await stage.killDaemon()
        context.center.nowPlayingInfo?[MPMediaItemPropertyTitle] = title
        try await stage.startDaemon()
        // Nothing is set any more: it connects by itself.
        let other = try BusClient(stage.address)
        try await other.owns(Self.name)
        // The title is shown after the main queue's turn, which may be later.
        try await other.shows(title: title, by: Self.name)
      }
    }
  }

  /// A bus that takes each connection and ends it at once: often before it is known that there is one.
  @Test func aBusThatEndsEveryConnectionIsTriedAgainUntilItDoesNot() async throws {
    let stage = try await BusStage(isRunning: false)
    defer { stage.close() }
    let fake = try EndingBus(stage.socketPath)
    let context = NowPlayingContext(address: stage.address, identity: "Tester")
    context.center.nowPlayingInfo = Self.song
    _ = try await fake.count.wait(for: "further connections") { $0 >= 4 }
    fake.close()
    try await stage.startDaemon()
    let client = try BusClient(stage.address)
    try await client.owns(Self.name)
    withExtendedLifetime(context) {}
  }

  @Test @MainActor func inVirtualTimeNobodyOutsideSeesIt() async throws {
    let stage = try await BusStage()
    defer { stage.close() }
    let client = try BusClient(stage.address)
    try await client.watchPlayers()
    await withTestDevice(modes: [.audio]) { device in
      await device.launch()
      let context = NowPlayingContext(address: stage.address, identity: "Virtual")
      context.center.nowPlayingInfo = Self.song
    }
    // Another application's appearance is the first that is seen.
    let other = NowPlayingContext(address: stage.address, identity: "Tester")
    other.center.nowPlayingInfo = Self.song
    try await client.awaitName(Self.name)
    #expect(
      !client.signals.value.contains { $0.arguments.first == .string("org.mpris.MediaPlayer2.Virtual") })
  }

  @Test func theCentersOfTheProcessAreAlwaysTheSame() {
    #expect(MPNowPlayingInfoCenter.default() === MPNowPlayingInfoCenter.default())
    #expect(MPRemoteCommandCenter.shared() === MPRemoteCommandCenter.shared())
  }
}
