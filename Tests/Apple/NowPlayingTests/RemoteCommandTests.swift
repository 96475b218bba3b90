import Clocks
import Continuo
import Foundation
import PulseTestSupport
import TestSupport
import Testing

@testable import NowPlaying

/// The commands of other programs on a real bus of their own.
@Suite struct RemoteCommandTests: PublishingTests {
  @Test func commandsCallHandlersOnTheMainQueue() async throws {
    try await withApplication { stage, client, context, _ in
      let heard = Observed([String]())
      func hear(
        _ command: MPRemoteCommand, _ name: String, _ describe: @escaping (MPRemoteCommandEvent) -> String
      ) {
        command.addTarget { event in
          #expect(MainDispatchQueue.isCurrent)
          #expect(event.command === command)
          #expect(event.timestamp > 0)
          heard.update { $0.append("\(name) \(describe(event))") }
          return .success
        }
      }
      let commands = context.commands
      for (command, name) in [
        (commands.playCommand, "play"), (commands.pauseCommand, "pause"), (commands.stopCommand, "stop"),
        (commands.togglePlayPauseCommand, "toggle"), (commands.nextTrackCommand, "next"),
        (commands.previousTrackCommand, "previous"),
      ] { hear(command, name) { _ in "" } }
      hear(commands.changePlaybackPositionCommand, "position") {
        ($0 as? MPChangePlaybackPositionCommandEvent)?.positionTime.description ?? "?"
      }
      hear(commands.changePlaybackRateCommand, "rate") {
        ($0 as? MPChangePlaybackRateCommandEvent)?.playbackRate.description ?? "?"
      }
      hear(commands.changeRepeatModeCommand, "repeat") {
        ($0 as? MPChangeRepeatModeCommandEvent).map { "\($0.repeatType)" } ?? "?"
      }
      hear(commands.changeShuffleModeCommand, "shuffle") {
        ($0 as? MPChangeShuffleModeCommandEvent).map { "\($0.shuffleType)" } ?? "?"
      }
      context.center.nowPlayingInfo = Self.song
      try await client.awaitName(Self.name)

      for (arguments, expected) in [
        (["play"], "play "), (["pause"], "pause "), (["play-pause"], "toggle "), (["stop"], "stop "),
        (["next"], "next "), (["previous"], "previous "), (["position", "12.5"], "position 12.5"),
        (["position", "5+"], "position 5.0"), (["loop", "Track"], "repeat one"),
        (["shuffle", "On"], "shuffle items"),
      ] {
        heard.update { $0 = [] }
        let answer =
          try await arguments.count == 1
          ? stage.playerctl(arguments[0]) : stage.playerctl(arguments[0], arguments[1])
        #expect(answer.status == 0, "\(arguments): \(answer)")
        _ = try await heard.wait(for: "\(arguments)") { $0 == [expected] }
      }
      try await client.set(Self.name, "Rate", .double(1.5))
      #expect(heard.value.last == "rate 1.5")
    }
  }

  @Test func whatIsOfferedFollowsHandlersAndSwitches() async throws {
    try await withApplication { _, client, context, _ in
      let commands = context.commands
      let token = commands.nextTrackCommand.addTarget { _ in .success }
      try await client.awaitName(Self.name)
      #expect(try await client.property(Self.name, "CanGoNext") == .bool(true))
      #expect(try await client.property(Self.name, "CanPlay") == .bool(false))
      commands.nextTrackCommand.isEnabled = false
      try await client.awaits("CanGoNext", .bool(false))
      let refusal = await #expect(throws: BusError.self) { try await client.player(Self.name, "Next") }
      #expect(refusal?.name == "org.freedesktop.DBus.Error.NotSupported")
      commands.nextTrackCommand.isEnabled = true
      try await client.awaits("CanGoNext", .bool(true))
      commands.nextTrackCommand.removeTarget(token)
      try await client.awaits("CanGoNext", .bool(false))
      commands.skipForwardCommand.preferredIntervals = [30, 15]
      let interval = Observed(0.0)
      commands.skipForwardCommand.addTarget { event in
        interval.update { $0 = (event as? MPSkipIntervalCommandEvent)?.interval ?? -1 }
        return .success
      }
      try await client.awaits("CanGoNext", .bool(true))
      try await client.player(Self.name, "Next")
      #expect(interval.value == 30)
      commands.skipForwardCommand.removeTarget(nil)
      try await client.awaits("CanGoNext", .bool(false))
      commands.changeShuffleModeCommand.addTarget { _ in .success }
      commands.changeShuffleModeCommand.currentShuffleType = .items
      try await client.awaits("Shuffle", .bool(true))
    }
  }

  @Test func whatBecomesOfACommandIsTold() async throws {
    try await withApplication { _, client, context, environment in
      let status = Observed(MPRemoteCommandHandlerStatus.success)
      let calls = Observed(0)
      context.commands.playCommand.addTarget { _ in
        calls.update { $0 += 1 }
        return status.value
      }
      try await client.awaitName(Self.name)
      try await client.player(Self.name, "Play")
      for failure: MPRemoteCommandHandlerStatus in [
        .noSuchContent, .noActionableNowPlayingItem, .deviceNotFound, .commandFailed,
      ] {
        status.update { $0 = failure }
        let error = await #expect(throws: BusError.self) { try await client.player(Self.name, "Play") }
        #expect(error?.name == "org.freedesktop.DBus.Error.Failed")
      }
      // Of several handlers one is enough.
      context.commands.playCommand.addTarget { _ in .success }
      try await client.player(Self.name, "Play")
      let before = calls.value
      // None of a suspended application's code runs.
      environment.suspension.suspendAll()
      await #expect(throws: BusError.failed("the application is suspended")) {
        try await client.player(Self.name, "Play")
      }
      #expect(calls.value == before)
      environment.suspension.resumeAll()
      try await client.player(Self.name, "Play")
      #expect(calls.value == before + 1)
    }
  }

  @Test func handlersEndWithTheirApplication() async throws {
    try await withApplication { _, client, context, environment in
      let calls = Observed(0)
      func addHandler() {
        context.commands.nextTrackCommand.addTarget { _ in
          calls.update { $0 += 1 }
          return .success
        }
      }
      addHandler()
      try await client.awaitName(Self.name)
      try await client.player(Self.name, "Next")
      environment.suspension.terminateAll()
      await #expect(throws: BusError.failed("the application is not running")) {
        try await client.player(Self.name, "Next")
      }
      environment.suspension.launch()
      await #expect(throws: BusError.self) { try await client.player(Self.name, "Next") }
      #expect(calls.value == 1)
      addHandler()
      try await client.player(Self.name, "Next")
      #expect(calls.value == 2)
    }
  }
}
