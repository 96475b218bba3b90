import Foundation
import PulseOutput
import PulseTestSupport
import Testing

extension EndToEndTests {
  /// What observers see, and when.
  @Suite struct EventTests {
    @Test func eachStepOnceInOrderWhenItIsHeard() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let songs = [
        Song(duration: 2, seed: 1), Song(duration: 0.777, seed: 2), Song(duration: 1, rate: 48000, seed: 3),
        Song(duration: 0.505, channels: 1, seed: 4),
      ]
      let (paths, player, recording) = try await studio.playThrough(songs)

      let events = player.events
      var order: [PlayerEvent] = []
      for (index, path) in paths.enumerated() {
        order.append(.currentItem(index: index, url: "file://\(path)"))
        if index == 0 {
          order.append(
            .timeControlStatus(
              "waitingToPlayAtSpecifiedRate", reason: "AVPlayerWaitingWhileEvaluatingBufferingRateReason"))
          order.append(.timeControlStatus("playing", reason: nil))
        }
        order.append(.didPlayToEndTime(index: index))
      }
      order.append(.currentItem(index: nil, url: nil))
      order.append(.finished)
      #expect(events.withoutTime.filter(\.isOfThePlayer) == order)
      #expect(
        events.withoutTime.filter { !$0.isOfThePlayer } == [
          .applicationState("inactive"), .applicationState("active"),
        ])
      #expect(events.map(\.host) == events.map(\.host).sorted())

      for (index, song) in songs.enumerated() {
        let steps = events.steps(of: index)
        #expect(steps.map(\.value) == song.steps, "item \(index)")
        // Between its own item's beginning and end.
        let first = try #require(
          events.firstIndex { $0.event == .currentItem(index: index, url: "file://\(paths[index])") })
        let last = try #require(events.firstIndex { $0.event == .didPlayToEndTime(index: index) })
        #expect(events[first...last].count { $0.event.isTime } == song.steps.count, "item \(index)")
        #expect(
          events[first...last].allSatisfy {
            if case .time(_, _, _, let state) = $0.event { state == "active" } else { true }
          })
      }

      let heard = HeardTimes(recording)
      let start = try #require(try await Sound.mpg123([paths[0]]).place(in: Sound(recording)))
      var errors: [Double] = []
      for index in 0..<2 {
        let offset = index == 0 ? 0 : songs[0].frameCount
        for step in events.steps(of: index) {
          errors.append(step.host - heard[start + offset + Int(step.value) * 441])
        }
      }
      print("time steps against the captured sound: \(Spread(errors)); first \(errors[0] * 1000) ms")
      print("the way from the monitor: \(Spread(heard.delays))")
      // How far they are off is measured where nothing else runs: here most may be late, but no place is early, and a step
      // of another place is 10 ms off and more.
      let early = errors.sorted()[errors.count / 20]
      #expect((-0.005..<0.02).contains(early), "\(early)")
    }

    /// The pipe is full before the home button is pressed, and nobody reads from it until the end.
    @Test(arguments: ["none", "audio"]) func aReaderThatStallsHoldsNothingUp(modes: String) async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 4, seed: 8).write(into: studio.folder)
      let drawing = "\(studio.folder)/run.svg"
      let player = try studio.play(
        [
          path, "--output", "simulated", "--background-modes", modes, "--at", "0.5:home", "--at",
          "3.5:foreground",
          "--timeline", drawing,
        ], eventPipeBytes: 4096)
      player.pauseEvents()
      // `ended` reads what is left, which is for afterwards.
      let end = try await player.child.ended()
      #expect(end.status == 0)
      let text = try String(contentsOfFile: drawing, encoding: .utf8)
      #expect(text.contains("background, "))
      #expect(text.contains("suspended, ") == (modes == "none"))
      #expect(!text.contains("0x8badf00d"))
      let log = try await player.log.wait(for: "the lost events") { !$0.errors.isEmpty }
      #expect(log.errors.count == 1)
      #expect(log.errors.first?.hasSuffix(" dropped: the reader has stalled") == true, "\(log)")
      player.resumeEvents()
    }

    /// Standard error is full before the home button is pressed, and nobody reads from it until the end.
    @Test func aReaderOfErrorsThatStallsHoldsNothingUp() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 4, seed: 8).write(into: studio.folder)
      let drawing = "\(studio.folder)/run.svg"
      var ends: [Int32] = [-1, -1]
      try #require(pipe(&ends) == 0)
      let null = open("/dev/null", O_RDWR | O_CLOEXEC)
      defer { for end in ends + [null] { close(end) } }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      _ = fcntl(ends[1], 1031 /* F_SETPIPE_SZ */, 4096)
      let name = String(repeating: "x", count: 3000)
      let child = try Child(
        [
          product("continuo"), "play", path, "--output", "simulated", "--no-socket", "--timeline", drawing,
          "--background-modes", "none", "--at", "0.5:home", "--at", "3.5:foreground",
        ] + (1...3).flatMap { ["--at", "0.\($0):task end \(name)"] },
        environment: studio.environment,
        streams: .descriptors(input: null, output: null, error: ends[1]))
      defer { child.signal(SIGKILL) }
      #expect(try await child.ended().status == 0)
      let text = try String(contentsOfFile: drawing, encoding: .utf8)
      #expect(text.contains("suspended, "))
      #expect(!text.contains("0x8badf00d"))
      // What it said is there, in whole lines as far as the pipe took them.
      var said = [UInt8](repeating: 0, count: 4096)
      let count = read(ends[0], &said, said.count)
      #expect(
        String(decoding: said.prefix(max(0, count)), as: UTF8.self).hasPrefix(
          "continuo: no background task x"))
    }
  }
}

extension Song {
  /// The hundredths of a second at which a frame of it begins to be heard or is being heard.
  var steps: [Int64] { Array(0..<Int64((frameCount * 100 + rate - 1) / rate)) }
}
