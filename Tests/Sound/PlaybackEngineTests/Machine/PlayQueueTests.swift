import AudioCore
import TestSupport
import Testing

@testable import PlaybackEngine

struct PlayQueueTests {
  /// `#expect` cannot call mutating members itself (Swift Testing of 6.3).
  private func expect(_ condition: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(condition, sourceLocation: sourceLocation)
  }

  @Test func keepsOrderThroughEveryKindOfChange() {
    var queue = PlayQueue<String>()
    expect(queue.insert("a", id: 1, after: nil))
    expect(queue.insert("c", id: 3, after: nil))
    expect(queue.insert("b", id: 2, after: 1))
    expect(queue.prepend("z", id: 9))
    #expect(queue.ids == [9, 1, 2, 3])
    #expect(queue.next(of: 2) == 3)
    expect(queue.remove(1) == "a")
    #expect(queue.ids == [9, 2, 3])
    expect(queue.remove(9) == "z")
    #expect(queue.first == 2)
    expect(queue.remove(3) == "c")
    #expect(queue.last == 2)
    expect(queue.remove(2) == "b")
    #expect(queue.count == 0 && queue.first == nil && queue.last == nil)
  }

  @Test func refusesWhatIsThereAndUnknownPlaces() {
    var queue = PlayQueue<Int>()
    expect(queue.insert(0, id: 1, after: nil))
    expect(!queue.insert(0, id: 1, after: nil))
    expect(!queue.insert(0, id: 2, after: 7))
    expect(!queue.prepend(0, id: 1))
    expect(queue.remove(7) == nil)
    #expect(queue.ids == [1])
  }

  /// Against an array, over thousands of random changes.
  @Test func agreesWithAnArray() {
    var random = RandomSource(seed: 42)
    var queue = PlayQueue<ItemID>()
    var model: [ItemID] = []
    var last: UInt64 = 0
    for _ in 0..<5000 {
      switch random.next() % 4 {
      case 0, 1:
        let after =
          model.isEmpty || random.next() % 3 == 0 ? nil : model[Int(random.next() % UInt64(model.count))]
        last += 1
        let next = ItemID(rawValue: last)
        expect(queue.insert(next, id: next, after: after))
        if let after, let index = model.firstIndex(of: after) {
          model.insert(next, at: index + 1)
        } else {
          model.append(next)
        }
      case 2 where !model.isEmpty:
        let id = model.remove(at: Int(random.next() % UInt64(model.count)))
        expect(queue.remove(id) == id)
      default:
        if random.next() % 50 == 0 {
          queue.removeAll()
          model = []
        }
      }
      #expect(queue.first == model.first && queue.last == model.last && queue.count == model.count)
    }
    #expect(queue.ids == model)
  }
}
