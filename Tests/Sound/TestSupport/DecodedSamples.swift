package import AudioCore
import Glibc
package import Testing

/// Interleaved samples to the end, or `limit` frames of them, read `chunk` frames at a time.
package func samples(
  of decoder: any AudioDecoder, channels: Int, chunk: Int = 4096, limit: Int = .max
) throws -> [Float] {
  var result: [Float] = []
  var buffer = [Float](repeating: .nan, count: chunk * channels)
  while result.count / channels < limit {
    let wanted = min(chunk, limit - result.count / channels)
    let outcome = try buffer.withUnsafeMutableBufferPointer { pointer in
      try decoder.read(into: UnsafeMutableBufferPointer(rebasing: pointer[..<(wanted * channels)]))
    }
    guard case .frames(let read) = outcome else {
      #expect(outcome == .end)
      break
    }
    result.append(contentsOf: buffer[..<(read * channels)])
  }
  return result
}

/// All samples of a decoder in its own format.
package func samples(of decoder: any AudioDecoder) throws -> [Float] {
  try samples(of: decoder, channels: decoder.format.channelCount)
}

/// Bit for bit; a plain comparison of a million floats takes seconds in debug builds.
package func same(_ a: some Collection<Float>, _ b: some Collection<Float>) -> Bool {
  let equal = a.withContiguousStorageIfAvailable { first in
    b.withContiguousStorageIfAvailable { second in
      UnsafeRawBufferPointer(first).elementsEqualByMemcmp(UnsafeRawBufferPointer(second))
    }
  }
  return equal == .some(.some(true))
}

/// Expects equality, and names the first difference instead of printing all samples.
package func expectSame(
  _ a: @autoclosure () throws -> [Float], _ b: [Float], sourceLocation: SourceLocation = #_sourceLocation
) rethrows {
  let a = try a()
  guard !same(a, b) else { return }
  let index = zip(a, b).enumerated().first { $0.element.0.bitPattern != $0.element.1.bitPattern }?.offset
  let place = index.map { "differ first at \($0)" } ?? "one is the beginning of the other"
  Issue.record("\(a.count) samples, \(b.count) expected: \(place)", sourceLocation: sourceLocation)
}

extension UnsafeRawBufferPointer {
  fileprivate func elementsEqualByMemcmp(_ other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    guard let first = baseAddress, let second = other.baseAddress else { return count == 0 }
    return memcmp(first, second, count) == 0
  }
}

/// The error that `body` throws.
package func decodingError(_ body: () throws -> Void) -> DecodingError? {
  do {
    try body()
    return nil
  } catch {
    return error as? DecodingError
  }
}
