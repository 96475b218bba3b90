package import Foundation
import TestSupport
package import Testing

/// Stereo sound, frame by frame, to be compared bit for bit.
package struct Sound: Sendable {
  /// How the samples are stored.
  package let format: MonitorCapture.SampleFormat
  /// The bits of each frame.
  package var frames: [UInt64]

  /// Samples in that format.
  package init(_ data: Data, format: MonitorCapture.SampleFormat) {
    self.format = format
    frames = data.withUnsafeBytes { bytes in
      (0..<bytes.count / format.bytesPerFrame).map { index in
        let offset = index * format.bytesPerFrame
        return format == .float32
          ? bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
          : UInt64(bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
      }
    }
  }

  /// What was captured.
  package init(_ recording: MonitorCapture.Recording) { self.init(recording.bytes, format: recording.format) }

  /// Frames in that format.
  package init(format: MonitorCapture.SampleFormat, frames: some Sequence<UInt64>) {
    self.format = format
    self.frames = Array(frames)
  }

  /// What `mpg123 -s` makes of files, one after the other.
  package static func mpg123(
    _ paths: [String], format: MonitorCapture.SampleFormat = .float32, options: [String] = []
  ) async throws -> Sound {
    let encoding = format == .float32 ? ["-e", "f32"] : []
    return Sound(try await output(of: ["mpg123", "-q", "-s"] + encoding + options + paths), format: format)
  }

  /// Whether a frame is silent; a zero may have a sign.
  package static func isSilent(_ frame: UInt64) -> Bool { frame & 0x7FFF_FFFF_7FFF_FFFF == 0 }

  /// Without silence before and after the sound.
  package var trimmed: Sound {
    guard let first = frames.firstIndex(where: { !Self.isSilent($0) }),
      let last = frames.lastIndex(where: { !Self.isSilent($0) })
    else { return Sound(format: format, frames: []) }
    return Sound(format: format, frames: frames[first...last])
  }

  /// Without any silent frame.
  package var withoutSilence: Sound { Sound(format: format, frames: frames.filter { !Self.isSilent($0) }) }

  /// Stretches of silence: where each begins and how many frames it has.
  package var silences: [(start: Int, count: Int)] {
    var result: [(start: Int, count: Int)] = []
    for (index, frame) in frames.enumerated() where Self.isSilent(frame) {
      if let last = result.last, last.start + last.count == index {
        result[result.count - 1].count += 1
      } else {
        result.append((index, 1))
      }
    }
    return result
  }

  /// The longest of them; none is an empty one at the beginning. A starved machine tears sound, so that there may be others.
  package var longestSilence: (start: Int, count: Int) { silences.max { $0.count < $1.count } ?? (0, 0) }

  /// A part of it, as far as it has one: a sound that is too short is another one, and no end of all tests.
  package subscript(_ range: Range<Int>) -> Sound {
    Sound(format: format, frames: frames[range.clamped(to: frames.indices)])
  }

  /// One after the other.
  package static func + (first: Sound, second: Sound) -> Sound {
    Sound(format: first.format, frames: first.frames + second.frames)
  }

  /// Where this sound's first frames are in another one.
  package func place(in other: Sound, from start: Int = 0) -> Int? {
    // Noise: sixteen frames in a row are there once.
    let beginning = frames.prefix(16)
    guard beginning.count == 16 else { return nil }
    return other.frames.indices.dropFirst(start).first {
      other.frames[$0] == beginning[0] && other.frames[$0...].starts(with: beginning)
    }
  }

  /// Samples as numbers, left and right.
  package var samples: [(left: Float, right: Float)] {
    frames.map { frame in
      format == .float32
        ? (Float(bitPattern: UInt32(truncatingIfNeeded: frame)), Float(bitPattern: UInt32(frame >> 32)))
        : (
          Float(Int16(truncatingIfNeeded: frame)) / 32768,
          Float(Int16(truncatingIfNeeded: frame >> 16)) / 32768
        )
    }
  }
}

/// Expects two sounds to be the same, and says where they begin to differ.
package func expectSame(
  _ sound: Sound, _ expected: Sound, _ what: String = "sound",
  sourceLocation: SourceLocation = #_sourceLocation
) {
  if sound.frames == expected.frames { return }
  let difference =
    zip(sound.frames, expected.frames).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    ?? min(sound.frames.count, expected.frames.count)
  let silences = sound.silences.prefix(5).map { "\($0.count) at \($0.start)" }.joined(separator: ", ")
  Issue.record(
    """
    \(what): \(sound.frames.count) frames instead of \(expected.frames.count), different from frame \(difference) \
    on; silent frames: \(silences.isEmpty ? "none" : silences)
    """, sourceLocation: sourceLocation)
}

/// Runs a program and returns what it writes to standard output.
package func output(of arguments: [String], limit: Double = 120) async throws -> Data {
  let folder = try TemporaryFolder()
  defer { folder.remove() }
  let path = "\(folder.path)/output"
  let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
  let null = open("/dev/null", O_RDWR | O_CLOEXEC)
  defer {
    close(file)
    close(null)
  }
  let child = try Child(
    arguments, environment: ProcessInfo.processInfo.environment,
    streams: .descriptors(input: null, output: file, error: null))
  defer { child.signal(SIGKILL) }
  let end = try await child.ended(limit: limit)
  guard end.status == 0 else { throw Failure("\(arguments.joined(separator: " ")): status \(end.status)") }
  return try Data(contentsOf: URL(fileURLWithPath: path))
}

/// Writes a program for `sh`. Another process does it: one that this process forks just then would hold the file open, and
/// nobody could start it (ETXTBSY).
package func write(program: String, to path: String) async throws {
  let text = path + ".text"
  try "#!/bin/sh\n\(program)".write(toFile: text, atomically: true, encoding: .utf8)
  _ = try await output(of: ["install", "-m", "755", text, path])
}

extension MonitorCapture {
  /// Waits until what came last is silence, and returns all of it. For after the player's end; on a busy machine the
  /// capture is late itself.
  package func untilSilence() async throws -> Recording {
    var recording = try await passed(8820)
    while recording.bytes.suffix(4410 * recording.format.bytesPerFrame).contains(where: { $0 != 0 }) {
      recording = try await passed(4410)
    }
    return recording
  }
}
