import Glibc
import MusicFiles
import TextFormatting

/// The files that a command is to write. They have to be different ones, and none of them may be read by it: links,
/// other spellings and descriptors are seen through. Nothing is opened for that.
struct OutputFiles {
  /// Two names of one file, in a sentence for a person.
  struct Conflict: Error, CustomStringConvertible { let description: String }

  /// Where an output goes: to a file that is there, or to a name in a folder.
  private enum Destination: Hashable {
    case file(FileStatus.Identity)
    case name([UInt8], in: FileStatus.Identity)
  }

  private var outputs: [Destination: String] = [:]

  /// Adds what `option` has written; nil is standard output. Throws where another output has that file. May block on the
  /// disk.
  mutating func add(_ option: String, _ path: MediaPath?) throws(Conflict) {
    guard let destination = path.map(Self.destination(of:)) ?? Self.destination(of: STDOUT_FILENO) else {
      return
    }
    if let other = outputs.updateValue(option, forKey: destination) {
      throw Conflict(description: "\(other) and \(option) are the same file")
    }
  }

  /// Throws where an output would overwrite one of `inputs`. May block on the disk.
  func check(inputs: some Sequence<MediaPath>) throws(Conflict) {
    // Most outputs are new files: nobody has to look at 100,000 songs then.
    guard outputs.keys.contains(where: { if case .file = $0 { true } else { false } }) else { return }
    for path in inputs {
      if let status = try? FileStatus(of: path) { try check(status, "\(path)") }
    }
  }

  /// Throws where an output would overwrite what standard input is read from.
  func checkStandardInput() throws(Conflict) {
    if let status = FileStatus(of: STDIN_FILENO), status.type == S_IFREG {
      try check(status, "standard input")
    }
  }

  private func check(_ input: FileStatus, _ name: String) throws(Conflict) {
    guard let option = outputs[.file(input.identity)] else { return }
    throw Conflict(
      description: "\(option) would overwrite \(TerminalText.sanitized(name)), which is to be read")
  }

  /// The number of links that Linux follows.
  private static let linkLimit = 40

  /// Where a file of that name is written; nil for a device, which many may write to, and where none can be made.
  private static func destination(of path: MediaPath) -> Destination? {
    if let status = try? FileStatus(of: path) { return destination(status) }
    // A file is made where a link to nothing leads.
    var path = path
    for _ in 0..<linkLimit {
      guard let target = path.linkTarget else { break }
      path = target.resolved(against: path.directory)
    }
    return (try? FileStatus(of: path.directory)).map { .name(path.name, in: $0.identity) }
  }

  private static func destination(of descriptor: Int32) -> Destination? {
    FileStatus(of: descriptor).flatMap { destination($0) }
  }

  private static func destination(_ status: FileStatus) -> Destination? {
    status.type == S_IFCHR ? nil : .file(status.identity)
  }
}

extension MediaPath {
  /// What a symbolic link says; nil if it is none.
  fileprivate var linkTarget: MediaPath? {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = withCString { readlink($0, &target, target.count) }
    return count > 0 ? MediaPath(bytes: target[..<count].map { UInt8(bitPattern: $0) }) : nil
  }
}
