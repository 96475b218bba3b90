import Foundation
import MusicFiles
import SystemSupport
import TestSupport
import Testing

@testable import ContinuoCommand

@Suite struct ReportStoreTests {
  private func store(_ folder: TemporaryFolder) throws -> ReportStore {
    try #require(ReportStore { $0 == "XDG_STATE_HOME" ? folder.path + "/state" : nil })
  }

  private func names(_ store: ReportStore) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: store.folder.description).sorted()
  }

  @Test(
    arguments: [
      (["XDG_STATE_HOME": "/s", "HOME": "/h"], "/s/continuo/reports"),
      (["HOME": "/h"], "/h/.local/state/continuo/reports"),
      (["XDG_STATE_HOME": "", "HOME": "/h"], "/h/.local/state/continuo/reports"),
      (["XDG_STATE_HOME": "relative", "HOME": "/h"], "/h/.local/state/continuo/reports"),
      (["HOME": "relative"], nil), ([:], nil),
    ] as [([String: String], String?)])
  func findsItsFolder(environment: [String: String], path: String?) {
    #expect(ReportStore { environment[$0] }?.folder.description == path)
  }

  @Test func writesForThisUserOnly() throws {
    let folder = try TemporaryFolder()
    let store = try store(folder)
    let path = try store.write(
      "Application terminated: 0x2182bad2", code: "0x2182bad2",
      at: Date(timeIntervalSince1970: 1_795_268_702.25))
    #expect(path.description.hasSuffix("/termination-20261121T134502.250000Z-\(getpid())-0x2182bad2.txt"))
    #expect(
      try FileBytes.read(path, limit: 1000) == Array("Application terminated: 0x2182bad2\n".utf8))
    func mode(_ path: String) throws -> Int? {
      (try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
    }
    #expect(try mode(path.description) == 0o600)
    #expect(try mode(store.folder.description) == 0o700)
    #expect(try mode(folder.path + "/state/continuo") == 0o700)
  }

  @Test func keepsTheNewestAndWhatIsNotItsOwn() throws {
    let folder = try TemporaryFolder()
    let store = try store(folder)
    try folder.write("state/continuo/reports/notes.txt", "mine")
    try folder.write("state/continuo/reports/aaa-termination-0.txt", "mine too")
    // Over the end of a year, and not in the order of time.
    for second in [5] + Array(0..<5) + Array(6..<30) {
      _ = try store.write(
        "report \(second)", code: "0x8badf00d",
        at: Date(timeIntervalSince1970: 1_798_761_590 + Double(second)))
    }
    let names = try names(store)
    #expect(names.count == ReportStore.limit + 2)
    let texts = try names.filter { $0.hasPrefix("termination") }.map {
      String(decoding: try FileBytes.read(store.folder.appending(Array($0.utf8)), limit: 100), as: UTF8.self)
    }
    #expect(texts == (10..<30).map { "report \($0)\n" })
  }

  @Test func aFolderThatCannotBeMadeIsAnError() throws {
    let folder = try TemporaryFolder()
    try folder.write("state", "a file")
    let store = try store(folder)
    #expect(throws: FileBytes.Problem.system(ENOTDIR)) {
      try store.write("x", code: "0x8badf00d", at: Date())
    }
  }

  /// Without a battery the clock is behind until the network has set it.
  @Test func theReportJustWrittenIsKeptWhateverTheClock() throws {
    let folder = try TemporaryFolder()
    let store = try store(folder)
    let start = Date(timeIntervalSince1970: 1_798_761_590)
    for second in 0..<ReportStore.limit {
      _ = try store.write("report", code: "0x8badf00d", at: start.addingTimeInterval(Double(second)))
    }
    let path = try store.write("late", code: "0x8badf00d", at: start.addingTimeInterval(-86_400))
    #expect(try FileBytes.read(path, limit: 100) == Array("late\n".utf8))
    #expect(try names(store).count == ReportStore.limit)
  }
}
