import ControlProtocol
import MusicFiles

/// The file that `--password` names: a password and what it stands for in each line, in mpd's form.
enum PasswordFile {
  /// Why it is not used.
  enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
    case unreadable(FileBytes.Problem)
    /// Others may read or change it.
    case openToOthers
    /// What is wrong with a line; lines count from 1.
    case line(Int, String)
    /// It has none.
    case noPassword

    /// For a person, to be put behind the file's name.
    var description: String {
      switch self {
      case .unreadable(let problem): "\(problem)"
      case .openToOthers: "others than its owner may read or change it; chmod 600 makes it private"
      case .line(let number, let text): "line \(number): \(text)"
      case .noPassword: "there is no password in it; a line is PASSWORD@read,add,control,admin"
      }
    }
  }

  /// Bytes that it may have: thousands of passwords.
  private static let sizeLimit = 1 << 20

  /// Reads it. Blocks on the disk.
  static func read(_ path: MediaPath) throws(Problem) -> [Argument: Permissions] {
    let status: FileStatus
    let bytes: [UInt8]
    do throws(FileBytes.Problem) {
      status = try FileStatus(of: path)
      bytes = try FileBytes.read(path, limit: sizeLimit)
    } catch {
      throw .unreadable(error)
    }
    guard status.permissions & 0o077 == 0 else { throw .openToOthers }
    return try parse(bytes)
  }

  /// Reads its contents. Empty lines, and those that begin with `#`, say nothing.
  static func parse(_ bytes: [UInt8]) throws(Problem) -> [Argument: Permissions] {
    var passwords: [Argument: Permissions] = [:]
    for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .enumerated()
    {
      let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
      guard let first = line.first, first != UInt8(ascii: "#") else { continue }
      // The last one: no permission has an @ in it, a password may.
      guard let at = line.lastIndex(of: UInt8(ascii: "@")) else {
        throw .line(index + 1, "there is no @ between a password and its permissions")
      }
      let password = Argument(line[..<at])
      guard !password.bytes.isEmpty else { throw .line(index + 1, "the password is empty") }
      guard passwords[password] == nil else { throw .line(index + 1, "this password has a line already") }
      do throws(Permissions.UnknownWord) {
        passwords[password] = try Permissions(list: String(decoding: line[(at + 1)...], as: UTF8.self))
      } catch {
        throw .line(index + 1, "\(error)")
      }
    }
    guard !passwords.isEmpty else { throw .noPassword }
    return passwords
  }
}
