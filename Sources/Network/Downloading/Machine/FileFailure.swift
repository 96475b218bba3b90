import Glibc
import SystemSupport

/// The error of a file that cannot be created.
package enum FileFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// A file of that name already exists.
  case exists(String)
  /// Another process is downloading to the file.
  case busy(String)
  /// A partial file of another URL exists, or one of unknown origin (`url` is nil). The file is not modified.
  case foreign(String, url: String?)
  /// The system refused the operation `doing` on the file, with this `errno`.
  case system(doing: String, String, code: Int32)

  /// A sentence for users.
  package var description: String {
    switch self {
    case .exists(let path): "\(path) is there already"
    case .busy(let path): "\(path) is being downloaded already"
    case .foreign(let path, let url?): "\(path) is there already, from \(url)"
    case .foreign(let path, nil): "\(path) is there already, and no record beside it tells where it is from"
    case .system("write", let path, ENOSPC): "cannot write \(path): the disk is full"
    case .system(let doing, let path, let code): "cannot \(doing) \(path): \(SystemError.message(code))"
    }
  }
}
