import Glibc
import MusicFiles
import TextFormatting

/// The output files of a command, which must differ from each other and from the inputs that are checked.
/// Links, other spellings and descriptors of the same file are recognized, without opening a file.
struct OutputFiles {
  struct Conflict: Error, CustomStringConvertible { let description: String }

  /// The destination of an output: an existing file, or a new name in a folder.
  private enum Destination: Hashable {
    case file(FileStatus.Identity)
    case name([UInt8], in: FileStatus.Identity)
  }

  private var outputs: [Destination: String] = [:]

  /// Adds the output of `option` at `path`; nil is standard output. Throws if another output is the same file. May
  /// block on the disk.
  mutating func add(_ option: String, _ path: MediaPath?) throws(Conflict) {
    guard let destination = path.map(Self.destination(of:)) ?? Self.destination(of: STDOUT_FILENO) else {
      return
    }
    if let other = outputs.updateValue(option, forKey: destination) {
      throw Conflict(description: "\(other) and \(option) are the same file")
    }
  }

  /// Throws if an output would overwrite one of `inputs`. May block on the disk.
  func check(inputs: some Sequence<MediaPath>) throws(Conflict) {
    // Most outputs are new files, which cannot be inputs. Without an existing output, even 100,000 songs need no
    // system calls.
    guard outputs.keys.contains(where: { if case .file = $0 { true } else { false } }) else { return }
    for path in inputs {
      if let status = try? FileStatus(of: path) { try check(status, "\(path)") }
    }
  }

  /// Throws if an output would overwrite the regular file that standard input reads.
  func checkStandardInput() throws(Conflict) {
    if let status = FileStatus(of: STDIN_FILENO), status.type == S_IFREG {
      try check(status, "standard input")
    }
  }

  private func check(_ input: FileStatus, _ name: String) throws(Conflict) {
    guard let option = outputs[.file(input.identity)] else { return }
    throw Conflict(
      description: "\(option) would overwrite the input \(TerminalText.sanitized(name))")
  }

  private static let linkLimit = 40

  /// Returns the destination for a file name; nil for a character device, to which several outputs may write,
  /// and if the folder cannot be examined.
  private static func destination(of path: MediaPath) -> Destination? {
    if let status = try? FileStatus(of: path) { return destination(status) }
    // Writing to a dangling link creates the link's target.
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
  /// The target of a symbolic link; nil if the path is not one.
  fileprivate var linkTarget: MediaPath? {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = withCString { readlink($0, &target, target.count) }
    return count > 0 ? MediaPath(bytes: target[..<count].map { UInt8(bitPattern: $0) }) : nil
  }
}
