import AudioCore
import Foundation
import Synchronization

/// Renders frame n of a stream as (n, -n), as many as it was given, and keeps book of how it was asked.
final class NumberedSource: RenderSource {
  struct Book: Sendable {
    /// Frames that may be rendered.
    var available: Int64 = 0
    var isAtEnd = false
    var rendered: Int64 = 0
    var calls = 0
    /// Calls whose `firstFrame` was not the count of frames rendered before.
    var wrongNumbers = 0
  }

  private let book: Mutex<Book>

  /// A source of `available` frames that is at its end after them, unless `isAtEnd` says otherwise.
  init(available: Int64, isAtEnd: Bool = true) {
    book = Mutex(Book(available: available, isAtEnd: isAtEnd))
  }

  var now: Book { book.withLock { $0 } }

  /// Makes more frames available, and perhaps the end known.
  func give(_ frames: Int64, isAtEnd: Bool = false) {
    book.withLock { book in
      book.available += frames
      book.isAtEnd = isAtEnd
    }
  }

  func render(into buffer: UnsafeMutableBufferPointer<Float>, firstFrame: Int64) -> Int {
    book.withLock { book in
      book.calls += 1
      if firstFrame != book.rendered { book.wrongNumbers += 1 }
      let count = min(book.available - book.rendered, Int64(buffer.count / 2))
      Self.table.withUnsafeBufferPointer { table in
        if count > 0, let source = table.baseAddress, let target = buffer.baseAddress {
          target.update(from: source + Int(2 * book.rendered), count: Int(2 * count))
        }
      }
      book.rendered += count
      return Int(count)
    }
  }

  var isAtEnd: Bool { book.withLock { $0.isAtEnd && $0.rendered == $0.available } }

  /// 40 s of frames: copied and compared as memory, because loops over samples are slow in a debug build.
  private static let table = [Float](unsafeUninitializedCapacity: 2 * 40 * 44_100) { buffer, count in
    count = buffer.count
    for index in 0..<count / 2 {
      buffer[2 * index] = Float(index)
      buffer[2 * index + 1] = -Float(index)
    }
  }

  /// The samples of these frames.
  static func samples(_ frames: Range<Int64>) -> [Float] {
    Array(table[2 * Int(frames.lowerBound)..<2 * Int(frames.upperBound)])
  }
}

/// Whether both are the same, bit for bit. (`==` takes a second for a few seconds of sound in a debug build.)
func areIdentical(_ first: [Float], _ second: [Float]) -> Bool {
  guard first.count == second.count else { return false }
  return first.withUnsafeBytes { first in
    second.withUnsafeBytes { second in
      guard let first = first.baseAddress, let other = second.baseAddress else { return true }
      return memcmp(first, other, second.count) == 0
    }
  }
}
