import Glibc

/// Why a file cannot be made.
package enum FileFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// There is a file of that name already.
  case exists(String)
  /// Another process downloads to it now.
  case busy(String)
  /// There is such a part, from that URL or, where there is none, from somewhere else: it is not touched.
  case foreign(String, url: String?)
  /// The system refuses to do that with the file of that name.
  case system(doing: String, String, code: Int32)

  /// A sentence for a person.
  package var description: String {
    switch self {
    case .exists(let path): "\(path) is there already"
    case .busy(let path): "\(path) is being downloaded already"
    case .foreign(let path, let url?): "\(path) is there already, from \(url)"
    case .foreign(let path, nil): "\(path) is there already, and no record beside it tells where it is from"
    case .system("write", let path, ENOSPC): "cannot write \(path): the disk is full"
    case .system(let doing, let path, let code): "cannot \(doing) \(path): \(String(cString: strerror(code)))"
    }
  }
}
