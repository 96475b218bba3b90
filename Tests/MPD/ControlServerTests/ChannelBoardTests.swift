import ControlProtocol
import Testing

@testable import ControlServer

@Suite
struct ChannelBoardTests {
  private let ann = ClientID(number: 1)
  private let bob = ClientID(number: 2)
  private func board() -> ChannelBoard { ChannelBoard(subscriptionLimit: 2, messageLimit: 3) }

  @Test(arguments: [
    ("a", true), ("A-z_0.9:b", true), ("", false), ("a b", false), ("ä", false), ("a/b", false),
  ])
  func names(_ name: String, isValid: Bool) throws {
    var board = board()
    if isValid {
      try board.subscribe(ann, to: Argument(name))
      #expect(board.channels == [name])
    } else {
      #expect(throws: Ack(.argument, "invalid channel name")) { try board.subscribe(ann, to: Argument(name)) }
      #expect(throws: Ack(.argument, "invalid channel name")) { try board.send("", to: Argument(name)) }
    }
  }

  @Test("Subscribing has its limits")
  func subscribing() throws {
    var board = board()
    try board.subscribe(ann, to: "b")
    #expect(throws: Ack(.exist, "already subscribed to this channel")) { try board.subscribe(ann, to: "b") }
    #expect(throws: Ack(.argument, "invalid channel name")) { try board.subscribe(ann, to: "b c") }
    try board.subscribe(ann, to: "a")
    #expect(throws: Ack(.exist, "subscription list is full")) { try board.subscribe(ann, to: "c") }
    try board.subscribe(bob, to: "c")
    #expect(board.channels == ["a", "b", "c"])
    #expect(throws: Ack(.noExist, "not subscribed to this channel")) { try board.unsubscribe(bob, from: "a") }
    try board.unsubscribe(ann, from: "a")
    #expect(board.channels == ["b", "c"])
    let first = board.remove(ann)
    let second = board.remove(ann)
    #expect(first && !second)
    #expect(board.channels == ["c"])
  }

  @Test("Messages wait in order, up to the limit; only who had none is told")
  func messages() throws {
    var board = board()
    var told: [ClientID]
    try board.subscribe(ann, to: "x")
    #expect(throws: Ack(.noExist, "nobody is subscribed to this channel")) { _ = try board.send("", to: "y") }
    told = try board.send("1", to: "x")
    #expect(told == [ann])
    told = try board.send("2", to: "x")
    #expect(told == [])
    try board.subscribe(bob, to: "x")
    told = try board.send("3", to: "x")
    #expect(told == [bob])
    told = try board.send("4", to: "x")
    #expect(told == [])
    var texts = board.read(ann).map(\.text)
    #expect(texts == ["1", "2", "3"])
    texts = board.read(ann).map(\.text)
    #expect(texts == [])
    texts = board.read(bob).map(\.text)
    #expect(texts == ["3", "4"])
    for _ in 0..<3 { _ = try board.send("", to: "x") }
    #expect(throws: Ack(.noExist, "nobody is subscribed to this channel")) { _ = try board.send("", to: "x") }
  }
}
