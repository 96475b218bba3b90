import AppLifecycle
import Clocks
import ControlProtocol
import Dispatch
import Foundation
import Glibc
import MusicFiles
import Synchronization
import SystemSupport
import TestSupport
import Testing

@testable import ContinuoCommand

extension EventLine {
  /// The line of a time step.
  fileprivate static func time(
    index: Int, value: Int64, timescale: Int32, state: ApplicationState, host: HostTime
  ) -> EventLine {
    var line = EventLine()
    _ = line.setTime(index: index, value: value, timescale: timescale, state: state, host: host)
    return line
  }
}

@Suite struct EventLineTests {
  static let song = StatusReply.Place(position: 3, id: 17)
  static let host = HostTime(nanoseconds: 5_123_456_789_999)

  func text(_ line: EventLine?) -> String? { line.map { String(decoding: $0.bytes, as: UTF8.self) } }

  @Test(
    arguments: [
      (
        .currentItem(StatusReply.Place(position: 0, id: 9), url: "file:///m/a.mp3"),
        #"{"event":"currentItem","index":0,"url":"file:///m/a.mp3","host":5123.456789}"#
      ),
      (
        .currentItem(nil, url: nil),
        #"{"event":"currentItem","index":null,"url":null,"host":5123.456789}"#
      ),
      (
        .timeControlStatus(.playing, reason: nil),
        #"{"event":"timeControlStatus","status":"playing","reason":null,"host":5123.456789}"#
      ),
      (
        .timeControlStatus(.waitingToPlayAtSpecifiedRate, reason: "no server"),
        #"{"event":"timeControlStatus","status":"waitingToPlayAtSpecifiedRate","reason":"no server","#
          + #""host":5123.456789}"#
      ),
      (
        .applicationState("notRunning"),
        #"{"event":"applicationState","state":"notRunning","host":5123.456789}"#
      ),
      (.didPlayToEndTime(song), #"{"event":"didPlayToEndTime","index":3,"host":5123.456789}"#),
      (
        .failed(StatusReply.Place(position: 1, id: 2), url: "file:///x", error: "no \"MPEG\"\n"),
        #"{"event":"failed","index":1,"url":"file:///x","error":"no \"MPEG\"\n","host":5123.456789}"#
      ),
    ] as [(WatchRecord.Event, String)])
  func linesAreAsDesigned(event: WatchRecord.Event, expected: String) {
    #expect(text(EventLine(event, host: Self.host)) == expected + "\n")
  }

  @Test(
    arguments: [
      (
        (0, 1234, 100, .active),
        #"{"event":"time","index":0,"value":1234,"timescale":100,"state":"active","host":5123.456789}"#
      ),
      (
        (12, .min, .max, .background),
        #"{"event":"time","index":12,"value":-9223372036854775808,"timescale":2147483647,"state":"background","#
          + #""host":5123.456789}"#
      ),
    ] as [((Int, Int64, Int32, ApplicationState), String)])
  func timesAreAsDesigned(time: (Int, Int64, Int32, ApplicationState), expected: String) {
    var line = EventLine()
    // The line before leaves nothing behind, whatever its length.
    _ = line.setTime(
      index: 99, value: .min, timescale: 1, state: .notRunning, host: HostTime(nanoseconds: .max))
    let bytes = line.setTime(index: time.0, value: time.1, timescale: time.2, state: time.3, host: Self.host)
    #expect(String(decoding: bytes, as: UTF8.self) == expected + "\n")
  }

  /// A time step has a line of its own, with what a record of a watch does not have.
  @Test(
    arguments: [
      .time(songID: 1, value: 2, timescale: 100), .timeJumped(song, elapsed: Milliseconds(rawValue: 5)),
      .coalesced(steps: 3), .alive,
    ] as [WatchRecord.Event])
  func otherRecordsAreNotWritten(event: WatchRecord.Event) {
    #expect(EventLine(event, host: Self.host) == nil)
  }

  @Test(
    arguments: [
      (0, "0.000000"), (999, "0.000000"), (1000, "0.000001"), (1_000_000_000, "1.000000"),
      (10_050_000_000, "10.050000"),
      (.max, "9223372036.854775"), (-5, "0.000000"),
    ] as [(Int64, String)])
  func hostHasSixDecimals(nanoseconds: Int64, text: String) {
    #expect(
      self.text(.finished(host: HostTime(nanoseconds: nanoseconds)))
        == #"{"event":"finished","host":\#(text)}"# + "\n")
  }

  /// What Foundation's reader makes of a line is what went in, for every ASCII character and some others.
  @Test func stringsSurvive() throws {
    let text =
      String(String.UnicodeScalarView((0...0x7F).map { Unicode.Scalar(UInt8($0)) })) + "é中😀\u{2028}\u{FFFF}"
    for error in [text, "", MediaPath(bytes: [0x61, 0xFF, 0xE9, 0x22]).description] {
      let line = try #require(EventLine(.failed(Self.song, url: "", error: error), host: Self.host))
      let bytes = Data(line.bytes)
      let object = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
      #expect(object["error"] as? String == error)
      #expect(bytes.count(where: { $0 == 0x0A }) == 1)
    }
  }
}

@Suite(.timeLimit(.minutes(10))) struct EventWriterTests {
  let warnings = Collected<String>()
  let host = HostTime(nanoseconds: 1_500_000_000)

  func writer(path: String) throws -> EventWriter {
    try EventWriter(path: path) { [warnings] in warnings.add($0) }
  }

  @Test func writesAFile() throws {
    let folder = try TemporaryFolder()
    try folder.write("events", "old content that is longer than what replaces it, by far, and then some more")
    let writer = try writer(path: folder.path + "/events")
    writer.write(.finished(host: host))
    // Before the writer is gone: each line is there as soon as it is written.
    let text = try String(contentsOfFile: folder.path + "/events", encoding: .utf8)
    #expect(text == "{\"event\":\"finished\",\"host\":1.500000}\n")
    #expect(warnings.all.isEmpty)
    withExtendedLifetime(writer) {}
  }

  @Test func aNameKeepsBytesThatAreNotUTF8() throws {
    let folder = try TemporaryFolder()
    let path = MediaPath(bytes: Array(folder.file("caf").utf8) + [0xE9])
    _ = try writer(path: RawArguments.text(of: path.bytes))
    #expect(path.withCString { access($0, F_OK) } == 0)
  }

  @Test func aFullDiskStopsEventsOnce() throws {
    let writer = try writer(path: "/dev/full")
    for _ in 0..<3 { writer.write(.finished(host: host)) }
    #expect(warnings.all == ["events to /dev/full stop: no space left on device"])
  }

  @Test func aReaderThatGoesStopsEventsOnce() throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    let writer = EventWriter(descriptor: ends[1], owned: true, name: "x") { [warnings] in warnings.add($0) }
    writer.write(.finished(host: host))
    close(ends[0])
    for _ in 0..<3 { writer.write(.finished(host: host)) }
    #expect(warnings.all == ["events to x stop: the reader closed the pipe"])
  }

  /// A pipe of 4 KiB, its writing end for a writer.
  func smallPipe() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    let setPipeSize: Int32 = 1031  // F_SETPIPE_SZ, which Glibc's module does not show.
    try #require(fcntl(ends[1], setPipeSize, 4096) > 0)
    return (ends[0], ends[1])
  }

  func line(_ value: Int) -> String {
    #"{"event":"time","index":0,"value":\#(value),"timescale":100,"state":"active","host":1.500000}"#
  }

  @Test func aReaderThatPausesHoldsNobodyUpAndMissesNothing() throws {
    let (reading, writing) = try smallPipe()
    var writer: EventWriter? = EventWriter(descriptor: writing, owned: true, name: "x") { [warnings] in
      warnings.add($0)
    }
    // Ten times what the pipe takes, and nobody reads: a writer that waits never gets past this.
    for value in 0..<500 {
      writer?.write(.time(index: 0, value: Int64(value), timescale: 100, state: .active, host: host))
    }
    let received = Mutex<[UInt8]>([])
    let reader = DispatchQueue(label: "reader")
    reader.async {
      let bytes = try? FileBytes.readAll(reading, limit: 1 << 24)
      received.withLock { $0 = bytes ?? [] }
    }
    writer?.finish()
    writer = nil
    reader.sync {}
    close(reading)
    let lines = received.withLock { String(decoding: $0, as: UTF8.self) }.split(separator: "\n")
    #expect(lines.map(String.init) == (0..<500).map(line))
    #expect(warnings.all.isEmpty)
  }

  @Test func aReaderThatHasStalledLosesWholeLinesWhichAreCountedOnce() throws {
    let (reading, writing) = try smallPipe()
    let count = 20_000
    let start = SystemClock.shared.now
    do {
      let writer = EventWriter(descriptor: writing, owned: true, name: "x") { [warnings] in warnings.add($0) }
      for value in 0..<count {
        writer.write(.time(index: 0, value: Int64(value), timescale: 100, state: .active, host: host))
      }
      writer.finish()
    }
    // One wait of 0.1 s for all the lines that had no room, not one for each; then those of the ends.
    #expect(SystemClock.shared.now.seconds(since: start) < 60)
    let text = String(decoding: try FileBytes.readAll(reading, limit: 1 << 24), as: UTF8.self)
    close(reading)
    let lines = text.split(separator: "\n").map(String.init)
    #expect(text.last == "\n")
    #expect(!lines.isEmpty && lines == (0..<lines.count).map(line))
    #expect(warnings.all == ["\(count - lines.count) events to x dropped: the reader has stalled"])
  }

  /// Reads that many bytes.
  private func bytes(_ wanted: Int, from reading: Int32) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: wanted)
    var count = 0
    while count < wanted {
      let more = bytes[count...].withUnsafeMutableBytes { read(reading, $0.baseAddress, $0.count) }
      try #require(more > 0)
      count += more
    }
    return bytes
  }

  /// The file's descriptor leads to a full device for one line.
  @Test(arguments: [(true, "b\n", 1), (false, "", 0)])
  func aFullDiskLosesOneLineOrEndsTheWriter(_ outlivesFullDisk: Bool, _ text: String, _ lost: Int) throws {
    let folder = try TemporaryFolder()
    let file = open(folder.file("log"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    let (full, written) = (open("/dev/full", O_WRONLY | O_CLOEXEC), fcntl(file, F_DUPFD_CLOEXEC, 3))
    try #require(file >= 0 && full >= 0 && written >= 0)
    defer { for descriptor in [file, full] { close(descriptor) } }
    let writer = LineWriter(descriptor: written, owned: true, outlivesFullDisk: outlivesFullDisk) {
      [warnings] in warnings.add(SystemError.text($0))
    }
    #expect(dup2(full, written) == written)
    writer.write(Array("a\n".utf8))
    #expect(dup2(file, written) == written)
    writer.write(Array("b\n".utf8))
    #expect(writer.finish() == lost)
    #expect(try folder.read("log") == Array(text.utf8))
    #expect(warnings.all == (outlivesFullDisk ? [] : [SystemError.text(ENOSPC)]))
  }

  /// A line without room is lost only after a wait, also when the reader has stalled before.
  @Test func aReaderThatReadsAgainIsWaitedForAgain() throws {
    let (reading, writing) = try smallPipe()
    let writer = LineWriter(descriptor: writing, owned: true) { _ in }
    let long = [UInt8](repeating: UInt8(ascii: "x"), count: LineWriter.backlogLimit + 8192) + [0x0A]
    for _ in 0..<2 {
      writer.write(long)
      let start = SystemClock.shared.now
      writer.write([0x0A])
      #expect(SystemClock.shared.now.seconds(since: start) > 0.9 * LineWriter.patience)
      _ = try bytes(long.count, from: reading)
    }
    #expect(writer.finish() == 2)
    close(reading)
  }

  /// A status line for a reader that is behind: what waited is written, then only the newest, as a
  /// whole, and lines stay in order.
  @Test func aReaderThatIsBehindSeesTheNewestDrawing() throws {
    let (reading, writing) = try smallPipe()
    let writer = LineWriter(descriptor: writing, owned: true) { _ in }
    writer.draw(Array("\rall".utf8), change: Array("\rfirst".utf8))
    writer.write([UInt8](repeating: UInt8(ascii: "x"), count: 8191) + [UInt8(ascii: "\n")])
    for number in 0..<100_000 { writer.draw(Array("\r\(number)".utf8), change: Array("\rpart".utf8)) }
    writer.write(Array("\rcomplaint\n".utf8))
    for number in 0..<100_000 { writer.draw(Array("\ragain \(number)".utf8), change: Array("\rpart".utf8)) }
    let expected =
      "\rfirst" + String(repeating: "x", count: 8191) + "\n\r99999\rcomplaint\n\ragain 99999"
    #expect(String(decoding: try bytes(expected.utf8.count, from: reading), as: UTF8.self) == expected)
    #expect(writer.finish() == 0)
    close(reading)
  }

  /// More than the backlog holds, to a reader that takes 4 KiB now and then.
  @Test func aSlowReaderMissesNothing() throws {
    let (reading, writing) = try smallPipe()
    let received = Mutex<[UInt8]>([])
    let reader = DispatchQueue(label: "reader")
    reader.async {
      var bytes: [UInt8] = []
      var piece = [UInt8](repeating: 0, count: 4096)
      while case let count = read(reading, &piece, piece.count), count > 0 {
        bytes += piece[..<count]
        usleep(200)
      }
      received.withLock { $0 = bytes }
    }
    let count = 20_000
    do {
      let writer = LineWriter(descriptor: writing, owned: true, patience: 120) { _ in }
      for value in 0..<count {
        let event = EventLine.time(
          index: 0, value: Int64(value), timescale: 100, state: .active, host: host)
        writer.write(event.bytes)
      }
      #expect(writer.finish(until: .distantFuture) == 0)
    }
    reader.sync {}
    close(reading)
    let lines = received.withLock { String(decoding: $0, as: UTF8.self) }.split(separator: "\n")
    #expect(lines.map(String.init) == (0..<count).map(line))
  }

  /// A reader of 256 pieces that takes one each 10 ms at most.
  @Test func theDeadlineEndsTheWaitForASlowReader() throws {
    let (reading, writing) = try smallPipe()
    let reader = DispatchQueue(label: "reader")
    do {
      let writer = LineWriter(descriptor: writing, owned: true) { _ in }
      let line = [UInt8](repeating: UInt8(ascii: "x"), count: 4095) + [0x0A]
      for _ in 0..<256 { writer.write(line) }
      reader.async {
        var piece = [UInt8](repeating: 0, count: 4096)
        while read(reading, &piece, piece.count) > 0 { usleep(10_000) }
      }
      #expect(writer.finish(until: .now()) > 0)
    }
    reader.sync {}
    close(reading)
  }

  @Test func aStepAddedWhileTheProcessEndsDoesNotKeepItFromEnding() async {
    await #expect(processExitsWith: .exitCode(7)) {
      alarm(120)
      StandardOutput.waitForNobody()
      let hasBegun = DispatchSemaphore(value: 0)
      CleanUp.add {
        hasBegun.signal()
        usleep(200_000)  // The call of `add` below begins meanwhile.
      }
      Thread.detachNewThread { CleanUp.exit(7) }
      hasBegun.wait()
      CleanUp.add {}
    }
  }

  /// However many writers wait: the process ends within the 3 s of a clean-up, unless earlier steps have taken longer.
  @Test func allWritersHaveOneDeadline() {
    let begun = DispatchTime(uptimeNanoseconds: 1_000_000_000)
    #expect(CleanUp.writersDeadline(begun: begun, now: begun) == begun + 2.5)
    #expect(CleanUp.writersDeadline(begun: begun, now: begun + 2) == begun + 2.5)
    #expect(CleanUp.writersDeadline(begun: begun, now: begun + 10) == begun + 10.5)
  }

  @Test func whatCannotBeOpenedIsAnError() {
    #expect(throws: FileBytes.Problem.system(ENOENT)) { try writer(path: "/no/such/folder/x") }
    #expect(throws: FileBytes.Problem.system(EISDIR)) { try writer(path: "/") }
  }

  /// Several threads write into a small pipe that does not block: all lines arrive, whole.
  @Test func linesStayWhole() throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    let (reading, writing) = (ends[0], ends[1])
    #expect(fcntl(writing, F_SETFL, O_NONBLOCK) == 0)
    let setPipeSize: Int32 = 1031  // F_SETPIPE_SZ, which Glibc's module does not show.
    #expect(fcntl(writing, setPipeSize, 4096) > 0)
    let received = Mutex<[UInt8]>([])
    let reader = DispatchQueue(label: "reader")
    reader.async {
      let bytes = try? FileBytes.readAll(reading, limit: 1 << 24)
      received.withLock { $0 = bytes ?? [] }
    }
    do {
      let writer = EventWriter(descriptor: writing, owned: true, name: "x") { [warnings] in warnings.add($0) }
      let host = host
      DispatchQueue.concurrentPerform(iterations: 4) { thread in
        for value in 0..<500 {
          writer.write(.time(index: thread, value: Int64(value), timescale: 100, state: .active, host: host))
        }
      }
    }
    // The writer is gone and has closed its end, so the reader comes to an end too.
    reader.sync {}
    close(reading)
    let lines = received.withLock { String(decoding: $0, as: UTF8.self) }.split(separator: "\n")
    #expect(warnings.all.isEmpty)
    #expect(lines.count == 2000)
    for thread in 0..<4 {
      let expected: [String] = (0..<500).map { (value: Int) -> String in
        #"{"event":"time","index":\#(thread),"value":\#(value),"timescale":100,"state":"active","host":1.500000}"#
      }
      #expect(lines.filter { $0.contains("\"index\":\(thread),") }.map(String.init) == expected)
    }
  }
}
