/// Sound files that the player does not recognize as songs, counted by the extensions of their names.
package struct UnplayableFiles: Hashable, Sendable {
  /// The maximum number of files that are kept, more than anybody reads. Further ones are counted.
  package static let fileLimit = 1000

  /// The extensions of sound formats that are not supported.
  private static let kinds: Set<String> = [
    "aac", "ac3", "alac", "amr", "ape", "au", "dff", "dsf", "dts", "m4a", "m4b", "m4p", "mid", "mka", "mpc",
    "ra", "shn", "spx", "tak", "tta", "voc", "wma", "wv",
  ]

  /// The number of files by kind. A kind is an extension with its dot, such as `.wma`.
  package private(set) var counts: [String: Int]
  /// The first files, in the order of their addition.
  package private(set) var files: [MediaPath]

  package init(counts: [String: Int] = [:], files: [MediaPath] = []) {
    self.counts = counts
    self.files = Array(files.prefix(Self.fileLimit))
  }

  /// Whether the name has the extension of an unplayable sound file.
  static func includes(_ file: MediaPath) -> Bool { kinds.contains(file.fileExtension) }

  package mutating func add(_ file: MediaPath) {
    counts[".\(file.fileExtension)", default: 0] += 1
    if files.count < Self.fileLimit { files.append(file) }
  }

  package mutating func add(_ other: UnplayableFiles) {
    counts.merge(other.counts) { $0 + $1 }
    files += other.files.prefix(Self.fileLimit - files.count)
  }

  package var count: Int { counts.values.reduce(0, +) }

  /// The kinds with their numbers, the most frequent first.
  package var kinds: [(kind: String, count: Int)] {
    counts.map { (kind: $0, count: $1) }.sorted { ($1.count, $0.kind) < ($0.count, $1.kind) }
  }
}

extension UnplayableFiles: CustomStringConvertible {
  /// A sentence such as `5 files cannot be played: 3 .wma, 2 .ape`.
  package var description: String {
    let list = kinds.map { "\($0.count) \($0.kind)" }.joined(separator: ", ")
    return "\(count) \(count == 1 ? "file" : "files") cannot be played: \(list)"
  }
}
