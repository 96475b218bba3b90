import ControlProtocol
import Dispatch
import Foundation
import MusicFiles
import TestSupport
import Testing

@testable import MusicLibrary

@Suite(.timeLimit(.minutes(10))) struct StickerStoreTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(_ said: Collected<String> = Collected()) -> StickerStore {
    StickerStore(MediaPath(folder.file("stickers"))) { said.add($0) }
  }

  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test("Stickers are kept, by song and name") func kept() throws {
    var store = open()
    try store.set(bytes("rating"), to: bytes("5"), for: bytes("x/a.mp3"))
    try store.set(bytes("rating"), to: bytes("7"), for: bytes("x/a.mp3"))
    try store.set(bytes("note"), to: [0xFF, 0], for: bytes("x/a.mp3"))
    try store.set(bytes("rating"), to: bytes("1"), for: bytes("x2/a.mp3"))
    store = open()
    #expect(try store.value(of: bytes("rating"), for: bytes("x/a.mp3")) == bytes("7"))
    #expect(try store.value(of: bytes("Rating"), for: bytes("x/a.mp3")) == nil)
    #expect(try store.all(for: bytes("x/a.mp3")).map(\.name) == [bytes("note"), bytes("rating")])
    #expect(
      try store.find(bytes("rating"), below: [], nil).map(\.song) == [bytes("x/a.mp3"), bytes("x2/a.mp3")])
    #expect(try store.find(bytes("rating"), below: bytes("x"), nil).map(\.song) == [bytes("x/a.mp3")])
    #expect(try store.find(bytes("rating"), below: [], .above("10")).map(\.song) == [bytes("x/a.mp3")])
    #expect(try store.remove(bytes("rating"), for: bytes("x/a.mp3")))
    #expect(try !store.remove(bytes("rating"), for: bytes("x/a.mp3")))
    #expect(try store.remove(nil, for: bytes("x/a.mp3")))
    #expect(try store.all(for: bytes("x/a.mp3")).isEmpty)
    let mode = try FileManager.default.attributesOfItem(atPath: folder.file("stickers"))[.posixPermissions]
    #expect(mode as? Int == 0o600)
  }

  @Test("A damaged file is put aside with a word, and the next sticker is kept", arguments: [false, true])
  func damaged(isOpen: Bool) throws {
    let said = Collected<String>()
    let store = open(said)
    if isOpen {
      try store.set(bytes("a"), to: bytes("1"), for: bytes("a.mp3"))
      #expect(try store.value(of: bytes("a"), for: bytes("a.mp3")) == bytes("1"))
      #expect(said.all.isEmpty)
    } else {
      try folder.write("stickers", String(repeating: "no database ", count: 1000))
      try store.set(bytes("a"), to: bytes("2"), for: bytes("a.mp3"))
      let lines = said.all
      #expect(lines.count == 1 && lines[0].contains("stickers.damaged-1"), "\(lines)")
      #expect(try store.value(of: bytes("a"), for: bytes("a.mp3")) == bytes("2"))
    }
  }

  @Test("A damaged file is set aside once, whatever number of threads finds it damaged")
  func damagedForSeveral() throws {
    for round in 0..<40 {
      try folder.write("stickers", String(repeating: "no database ", count: 1000))
      let said = Collected<String>()
      let store = open(said)
      DispatchQueue.concurrentPerform(iterations: 8) { number in
        #expect(throws: Never.self, "round \(round)") {
          try store.set(bytes("a"), to: bytes("1"), for: bytes("\(number).mp3"))
        }
      }
      let lines = said.all
      #expect(lines.count == 1 && lines[0].contains("stickers.damaged-1"), "round \(round): \(lines)")
      #expect(try open().find(bytes("a"), below: [], nil).count == 8, "round \(round)")
    }
  }

  @Test("The last three damaged files are kept") func damagedAgain() throws {
    for number in 1...5 {
      try folder.write("stickers", String(repeating: "no database \(number) ", count: 1000))
      try open().set(bytes("a"), to: bytes("1"), for: bytes("a.mp3"))
    }
    let names = folder.names.filter { $0.contains("damaged") }
    #expect(names == ["stickers.damaged-1", "stickers.damaged-2", "stickers.damaged-3"])
    #expect(try folder.read("stickers.damaged-3").starts(with: "no database 3".utf8))
  }

  @Test("The log of a damaged file is kept with it") func damagedLog() throws {
    for number in 1...3 {
      try folder.write("stickers", "no database \(number)")
      if number != 2 { try folder.write("stickers-wal", "log \(number)") }
      _ = LibraryFile.setAside(MediaPath(folder.path + "/stickers"), keeping: 2)
    }
    #expect(folder.names.sorted() == ["stickers.damaged-1", "stickers.damaged-1-wal", "stickers.damaged-2"])
    #expect(try folder.read("stickers.damaged-1-wal").elementsEqual("log 3".utf8))
  }

  @Test("A file that cannot be made is an error, each time") func unwritable() throws {
    let store = StickerStore(MediaPath("/proc/self/stickers")) { _ in }
    for _ in 0..<2 {
      #expect(throws: DatabaseError.self) { try store.set(bytes("a"), to: [], for: bytes("a.mp3")) }
    }
  }
}
