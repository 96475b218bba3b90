import ControlProtocol
import MusicFiles
import SystemSupport

/// The file of `--password`: a password and its permissions in each line, in mpd's format.
enum PasswordFile {
  enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
    case unreadable(FileBytes.Problem)
    case openToOthers
    /// An error in a line. Lines count from 1.
    case line(Int, String)
    case noPassword

    var description: String {
      switch self {
      case .unreadable(let problem): "\(problem)"
      case .openToOthers: "accessible to other users; run chmod 600 on it"
      case .line(let number, let text): "line \(number): \(text)"
      case .noPassword: "contains no password; a line is PASSWORD@read,add,control,admin"
      }
    }
  }

  /// The maximum size of the file, in bytes: room for thousands of passwords.
  private static let sizeLimit = 1 << 20

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

  /// Returns the passwords in the contents of a file. Empty lines and lines that begin with `#` are ignored.
  static func parse(_ bytes: [UInt8]) throws(Problem) -> [Argument: Permissions] {
    var passwords: [Argument: Permissions] = [:]
    for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .enumerated()
    {
      let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
      guard let first = line.first, first != UInt8(ascii: "#") else { continue }
      // Takes the last @, because permissions contain none, but a password may.
      guard let at = line.lastIndex(of: UInt8(ascii: "@")) else {
        throw .line(index + 1, "missing @ between password and permissions")
      }
      let password = Argument(line[..<at])
      guard !password.bytes.isEmpty else { throw .line(index + 1, "the password is empty") }
      guard passwords[password] == nil else { throw .line(index + 1, "duplicate password") }
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
