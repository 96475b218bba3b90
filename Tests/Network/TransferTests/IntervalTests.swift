import TestSupport
import Testing
import Transfer

@Suite("Sets of ranges")
struct IntervalTests {
  @Test("20,000 random changes agree with a set of single bytes")
  func walk() {
    var random = RandomSource(seed: 3)
    var set = IntervalSet()
    var model = [Bool](repeating: false, count: 202)
    for _ in 0..<20_000 {
      let start = random.below(190)
      let range = start..<start + random.below(10)
      let isInsertion = random.below(2) == 0
      if isInsertion {
        set.insert(Int64(range.lowerBound)..<Int64(range.upperBound))
      } else {
        set.remove(Int64(range.lowerBound)..<Int64(range.upperBound))
      }
      for index in range { model[index] = isInsertion }
      let at = random.below(200)
      var end = at
      while model[end] { end += 1 }
      var begin = at
      while begin > 0, model[begin - 1] { begin -= 1 }
      var next = at + 1
      while next < 201, !(model[next] && !model[next - 1]) { next += 1 }
      let offset = Int64(at)
      guard set.end(from: offset) == Int64(end), set.start(ofRangeBefore: offset) == Int64(begin),
        set.start(after: offset) == (next < 201 ? Int64(next) : nil),
        set.count == Int64(model.count { $0 }),
        zip(set.ranges, set.ranges.dropFirst()).allSatisfy({ $0.upperBound < $1.lowerBound })
      else {
        Issue.record("differs at \(at): \(set.ranges)")
        return
      }
    }
  }
}
