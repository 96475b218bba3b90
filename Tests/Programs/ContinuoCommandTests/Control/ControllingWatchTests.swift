import ControlClient
import ControlProtocol
import ControlServer
import Foundation
import Testing
import TextFormatting

@testable import ContinuoCommand

/// The stream of records, as lines.
@Suite(.timeLimit(.minutes(10))) struct ControllingWatchTests {
  private static let song = StatusReply.Place(position: 1, id: 12)

  /// A record of each kind, and its line for a person and for a program.
  private static let table: [(WatchRecord.Event, text: String, json: String)] = [
    (
      .time(songID: 12, value: 1234, timescale: 100), "time               songid 12  elapsed 12.34",
      #"{"event":"time","songid":12,"elapsed":12.34,"value":1234,"timescale":100,"host":1.500000}"#
    ),
    (
      .currentItem(song, url: "file:///a%20b.mp3"),
      "currentItem        index 1  songid 12  url file:///a%20b.mp3",
      #"{"event":"currentItem","index":1,"songid":12,"url":"file:///a%20b.mp3","host":1.500000}"#
    ),
    (.currentItem(nil, url: nil), "currentItem", #"{"event":"currentItem","host":1.500000}"#),
    (
      .timeControlStatus(.waitingToPlayAtSpecifiedRate, reason: "toMinimizeStalls"),
      "timeControlStatus  status waitingToPlayAtSpecifiedRate  reason toMinimizeStalls",
      #"{"event":"timeControlStatus","status":"waitingToPlayAtSpecifiedRate","reason":"toMinimizeStalls","#
        + #""host":1.500000}"#
    ),
    (
      .applicationState("background"), "applicationState   state background",
      #"{"event":"applicationState","state":"background","host":1.500000}"#
    ),
    (
      .didPlayToEndTime(song), "didPlayToEndTime   index 1  songid 12",
      #"{"event":"didPlayToEndTime","index":1,"songid":12,"host":1.500000}"#
    ),
    (
      .failed(song, url: "u", error: "no \u{202E}\"sound\""),
      "failed             index 1  songid 12  url u  error no \u{FFFD}\"sound\"",
      #"{"event":"failed","index":1,"songid":12,"url":"u","error":"no "#
        + "\u{202E}" + #"\"sound\"","host":1.500000}"#
    ),
    (
      .timeJumped(song, elapsed: Milliseconds(rawValue: 500)),
      "timeJumped         index 1  songid 12  elapsed 0.500",
      #"{"event":"timeJumped","index":1,"songid":12,"elapsed":0.500,"host":1.500000}"#
    ),
    (
      .timedMetadata(song, identifier: "icy/StreamTitle", value: "7", time: Milliseconds(rawValue: 1_500)),
      "timedMetadata      index 1  songid 12  identifier icy/StreamTitle  value 7  time 1.500",
      #"{"event":"timedMetadata","index":1,"songid":12,"identifier":"icy/StreamTitle","value":"7","#
        + #""time":1.500,"host":1.500000}"#
    ),
    (.coalesced(steps: 3), "coalesced          steps 3", #"{"event":"coalesced","steps":3}"#),
    (.alive, "alive", #"{"event":"alive"}"#),
  ]

  private static var records: [WatchRecord] { table.map { WatchRecord($0.0, host: 1_500_000_000) } }

  /// Each record is complete with its own last line, however the bytes come in.
  @Test func recordsAreCompleteAtOnce() throws {
    var reader = WatchReader()
    for (record, row) in zip(Self.records, Self.table) {
      var parser = ReplyParser(expectsGreeting: false)
      parser.append(record.bytes)
      var complete: [ReplyFields] = []
      while case .pair(let name, let value) = try parser.next() {
        #expect(complete.isEmpty)
        complete += reader.take(name, value)
      }
      let fields = try #require(complete.first)
      #expect(complete.count == 1)
      #expect(WatchLine.text(fields) == row.text + "\n")
      #expect(String(decoding: WatchLine.json(fields).line, as: UTF8.self) == row.json + "\n")
    }
  }

  @Test func recordsOfLaterServersAreKept() {
    var reader = WatchReader()
    #expect(reader.take("event", "new") == [])
    #expect(reader.take("what", "ever") == [])
    let complete = reader.take("event", "alive")
    #expect(complete.map { WatchLine.text($0) } == ["new                what ever\n", "alive\n"])
    // A line outside of a record means nothing.
    #expect(reader.take("host", "1") == [])
  }

  @Test func printsALineForEachRecordUntilNobodyReads() throws {
    let shown = Self.records.dropLast(2)
    let server = try ScriptedServer(records: shown.map { ($0, .events) })
    let (texts, jsons): ([String], [String]) = (Self.table.map(\.text), Self.table.map(\.json))
    let text = try server.run(["watch"], lines: shown.count)
    #expect(text.status == .played && text.complaints == [])
    #expect(text.text == texts.dropLast(2).map { "\($0)\n" }.joined())
    let json = try server.run(["watch", "events", "--json"], lines: shown.count - 1)
    #expect(json.status == .played)
    #expect(json.text == jsons.dropLast(3).map { "\($0)\n" }.joined())
  }

  @Test func watchesTime() throws {
    let interval = try #require(WatchInterval("0.01"))
    let steps = (0..<1000).map { step in
      (WatchRecord(.time(songID: 1, value: step, timescale: 100)), WatchTopic.time(interval))
    }
    let server = try ScriptedServer(records: steps + [(WatchRecord(.applicationState("active")), .events)])
    let printed = try server.run(["watch", "time", "0.01", "events", "--json"], lines: 1001)
    let values = try printed.text.split(separator: "\n").map { line in
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    }
    let counted = values.dropLast().compactMap { $0?["value"] as? Int64 }
    #expect(counted == Array(0..<1000))
    #expect(values.last??["state"] as? String == "active")
  }

  @Test func ctlPrintsTheLinesAsTheyCome() throws {
    let server = try ScriptedServer(records: [(WatchRecord(.applicationState("active")), .events)])
    #expect(
      try server.run(["ctl", "watch"], lines: 3).text
        == "event: applicationState\nstate: active\nhost: 0.000000\n")
  }

  @Test func serverThatEndsIsTold() async throws {
    let server = try ScriptedServer(records: [(WatchRecord(.applicationState("active")), .events)])
    let path = server.path
    let end = server.stopper
    let printed = try Printed(["watch"], path: path, onWrite: { DispatchQueue.global().async { end() } })
    #expect(printed.text == "applicationState   state active\n")
    #expect(printed.status == .unavailable)
    #expect(printed.complaints == ["\(path): the server closed the connection"])
  }
}
