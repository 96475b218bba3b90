import TestSupport
import Testing
import Transfer

@testable import Downloading

@Suite("Records of downloads")
struct RecordTests {
  private static let lines = [
    "continuo download 1", "url: https://h:8080/a%20b.mp3?k=v", "length: 4096", "total: 9000", "ranges: yes",
    "ETag: W/\"a: b\"", "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT", "end", "",
  ]

  private func record(_ lines: [String]) -> DownloadRecord? {
    DownloadRecord(bytes: Array(lines.joined(separator: "\n").utf8))
  }

  @Test func itComesBackAsItWas() throws {
    let record = try #require(self.record(Self.lines))
    #expect(DownloadRecord(bytes: record.bytes) == record)
    #expect(
      record.url.text == "https://h:8080/a%20b.mp3?k=v" && record.length == 4_096 && record.total == 9_000)
    #expect(record.hasRanges && record.isResumable && record.version["etag"] == "W/\"a: b\"")
    let empty = DownloadRecord(url: record.url)
    #expect(DownloadRecord(bytes: empty.bytes) == empty && !empty.isResumable)
  }

  @Test(
    "no record of ours",
    arguments: [
      (0, "continuo download 2"), (1, "url: ftp://h/a"), (1, "url: http://user:secret@h/a"), (1, "no colon"),
      (2, "length: -1"),
      (2, "length: x"), (3, "total: 4095"), (3, "length: 4096"), (5, "ETag: \u{1}"), (7, "EN"),
    ])
  func refused(_ index: Int, _ line: String) {
    var lines = Self.lines
    lines[index] = line
    #expect(record(lines) == nil)
  }

  @Test("one whose part was deleted does not stand in the way of another download")
  func withoutPart() throws {
    let folder = try TemporaryFolder()
    let record = try #require(self.record(Self.lines))
    let place = DownloadPlace(folder.file("x"))
    try folder.write("x.part.record", record.bytes)
    let part = try PartFile.open(place, of: try WebURL.read("http://other/b").url)
    #expect(part.record.url.host == "other" && part.record.length == 0)
  }

  @Test("one that was cut off anywhere is none; one of other bytes crashes nothing")
  func damaged() throws {
    let bytes = Array(Self.lines.joined(separator: "\n").utf8)
    for end in 0..<bytes.count { #expect(DownloadRecord(bytes: Array(bytes[..<end])) == nil) }
    var random = RandomSource(seed: 3)
    for _ in 0..<5_000 {
      var other = bytes
      for _ in 0...random.below(4) { other[random.below(other.count)] = UInt8(random.below(256)) }
      if let record = DownloadRecord(bytes: other) {
        #expect(record.length >= 0 && record.total ?? .max >= record.length)
      }
    }
    #expect(DownloadRecord(bytes: bytes + [UInt8](repeating: 10, count: NetworkLimits.record)) == nil)
  }
}
