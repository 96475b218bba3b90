import Foundation
import PulseTestSupport
import TestSupport
import Testing

extension ClientTests {
  /// The same said to a real mpd and to Continuo is answered in the same way.
  @Suite struct ComparisonTests {
    @Test func conversationIsAsWithMPD() async throws {
      let hall = try await Hall()
      defer { hall.close() }
      #expect(try await compare(conversation, in: hall) > 400)
    }

    @Test func filtersAreAsWithMPD() async throws {
      let hall = try await Hall()
      defer { hall.close() }
      for song in filteredSongs {
        try await hall.write(song.name, tone: 700, ["--id3v2-utf16"] + song.tags)
      }
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 1_623_758_400)],
        ofItemAtPath: "\(hall.music)/more/d.mp3")
      #expect(try await compare(filterConversation, in: hall) > 200)
    }

    @Test func libraryIsAsWithMPD() async throws {
      let hall = try await Hall()
      defer { hall.close() }
      for song in filteredSongs {
        try await hall.write(song.name, tone: 700, ["--id3v2-utf16"] + song.tags)
      }
      try Data((0..<100).map { UInt8($0) }).write(to: URL(fileURLWithPath: "\(hall.music)/more/cover.jpg"))
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 1_623_758_400)],
        ofItemAtPath: "\(hall.music)/more/d.mp3")
      #expect(try await compare(libraryConversation, in: hall) > 80)
    }

    @Test func playlistsAndStickersAreAsWithMPD() async throws {
      let hall = try await Hall()
      defer { hall.close() }
      for song in filteredSongs {
        try await hall.write(song.name, tone: 700, ["--id3v2-utf16"] + song.tags)
      }
      for playlists in [hall.playlistsOfMPD, hall.playlists] {
        let folder = URL(fileURLWithPath: playlists)
        try Data(handwrittenPlaylist.utf8).write(to: folder.appendingPathComponent("hand.m3u"))
        try Data("http://example.org/x\na.mp3\n".utf8).write(to: folder.appendingPathComponent("remote.m3u"))
        try FileManager.default.createDirectory(
          at: folder.appendingPathComponent("folder.m3u"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
          atPath: "\(playlists)/link.m3u", withDestinationPath: "nowhere")
      }
      #expect(try await compare(playlistConversation, in: hall) > 250)
    }

    /// Says the same to both servers; the number of requests.
    private func compare(_ conversation: String, in hall: Hall) async throws -> Int {
      let mpd = try Speaker(try await hall.startMPD())
      let continuo = try Speaker(try await hall.startContinuo())
      var part = ""
      var count = 0
      for step in ConversationStep.read(conversation) {
        switch step {
        case .part(let name):
          part = name
          try mpd.begin()
          try continuo.begin()
        case .request(let request, let difference):
          count += 1
          var expected = try mpd.ask(request)
          var answer = try continuo.ask(request)
          if isOpening(expected, answer) { expected = try await mpd.ask(request, insteadOf: expected) }
          if isUpdating(expected, answer) { expected = try await mpd.ask(request, insteadOf: expected) }
          if isUpdating(answer, expected) { answer = try await continuo.ask(request, insteadOf: answer) }
          if isOpening(answer, expected) { answer = try await continuo.ask(request, insteadOf: answer) }
          if isWaitingForSound(answer, expected) {
            answer = try await continuo.ask(request, insteadOf: answer)
          }
          let comment = Comment(rawValue: "\(part): \(request)\n- \(expected)\n+ \(answer)")
          if let difference {
            #expect(answer != expected, "no difference any more (\(difference)) \(comment)")
          } else {
            #expect(answer == expected, comment)
          }
        }
      }
      print("\(count) requests compared with mpd")
      return count
    }

    /// Whether the answers differ in this alone: the one server does not know the sound's format yet, right after `play`
    /// on a busy machine.
    private func isOpening(_ answer: [String], _ other: [String]) -> Bool {
      answer != other && answer == other.filter { !$0.hasPrefix("audio: ") }
    }

    /// Whether the answers differ in this alone: the one server still looks for songs, as it was told before.
    private func isUpdating(_ answer: [String], _ other: [String]) -> Bool {
      answer != other && answer.filter { !$0.hasPrefix("updating_db: ") } == other
    }

    /// Whether the answers differ in this alone: Continuo says `play` only if sound moves, for which it may have to
    /// wait on a busy machine.
    private func isWaitingForSound(_ answer: [String], _ expected: [String]) -> Bool {
      answer != expected && answer.map { $0 == "state: pause" ? "state: play" : $0 } == expected
    }

    /// Bytes on a new connection and then no more: all that comes back until the server closes too.
    @Test func bytesAreTakenAsByMPD() async throws {
      let hall = try await Hall()
      defer { hall.close() }
      let mpd = try await hall.startMPD()
      let continuo = try await hall.startContinuo()
      for (index, bytes) in rawConversations.enumerated() {
        func answer(_ socket: String) throws -> String {
          let connection = try ControlConnection(socket)
          connection.send(bytes)
          connection.finishSending()
          return try connection.rest()
        }
        let expected = try answer(mpd)
        let comment = String(decoding: bytes.prefix(120), as: UTF8.self)
        #expect(try answer(continuo) == expected, "\(index): \(comment)")
      }
    }

    /// What clients that wait are told of, request by request.
    @Test func requestsWakeWhomTheyWakeWithMPD() async throws {
      let hall = try await Hall()
      defer { hall.close() }
      for socket in [try await hall.startMPD(), try await hall.startContinuo()] {
        let control = try ControlConnection(socket)
        for request in ["add a.mp3", "add b.mp3", "add sub/c.mp3"] { _ = try control.ask(request) }
        _ = try control.untilTagged()
        let waiting = try ControlConnection(socket)
        // What may come late: one thing that happens to the player is told twice; that the songs have tags, after they can be read.
        var late: Set = ["changed: player", "changed: playlist"]
        for (request, expected) in events {
          let answer = try control.ask(request)
          var names: Set<String> = []
          while !names.isSuperset(of: expected) {
            names.formUnion(
              try waiting.ask("idle playlist player mixer options subscription stored_playlist sticker")
                .dropLast())
          }
          #expect(
            names.subtracting(late) == Set(expected).subtracting(late), "\(socket): \(request): \(answer)")
          // Changes to the queue are told in order.
          if expected.contains("changed: playlist") { late.remove("changed: playlist") }
        }
      }
    }

    /// The few places in which Continuo means to be another, with bytes.
    @Test func bytesAreTakenInAnotherWay() async throws {
      let hall = try await Hall()
      defer { hall.close() }
      let continuo = try await hall.startContinuo()
      for (text, expected) in rawDifferences {
        let connection = try ControlConnection(continuo)
        connection.send(text)
        connection.finishSending()
        #expect(try connection.rest() == expected, "\(text)")
      }
    }
  }
}

/// A line of the conversation.
enum ConversationStep {
  case part(String)
  /// One request, or a command list in one. With a reason if the answers are meant to differ.
  case request(String, difference: String?)

  static func read(_ text: String) -> [ConversationStep] {
    var steps: [ConversationStep] = []
    var difference: String?
    var list: [Substring] = []
    for line in text.split(separator: "\n") {
      if line.hasPrefix("# ") {
        steps.append(.part(String(line.dropFirst(2))))
      } else if line.hasPrefix("! ") {
        difference = String(line.dropFirst(2))
      } else {
        list.append(line)
        let isOpen = ["command_list_begin", "command_list_ok_begin"].contains(list[0])
        if isOpen, line != "command_list_end" { continue }
        steps.append(.request(list.joined(separator: "\n"), difference: difference))
        (list, difference) = ([], nil)
      }
    }
    return steps
  }
}
