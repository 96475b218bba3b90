internal import Glibc

/// A C library that is opened at run time, so that programs that do not use it neither need nor load it. It
/// is never closed, because another thread may be running its code.
package struct DynamicLibrary {
  package struct Problem: Error, Sendable {
    /// The function that the library lacks; nil if the library cannot be opened.
    package let function: String?
    package let reason: String

    fileprivate init(function: String? = nil) {
      self.function = function
      reason = dlerror().map { String(cString: $0) } ?? "no reason given"
    }

    /// Returns the message for a user: `need` if the library cannot be opened, otherwise that `library`
    /// cannot be used; then the reason.
    package func text(need: String, library: String) -> String {
      "\(function == nil ? need : "\(library) cannot be used"): \(reason)"
    }
  }

  private let handle: UnsafeMutableRawPointer
  private let prefix, suffix: String

  /// Opens the first available library of `names`, which must not be empty. `find` adds `prefix` and `suffix`
  /// to the names of functions. Blocks on the disk.
  package init(_ names: [String], prefix: String, suffix: String = "") throws(Problem) {
    var opened: UnsafeMutableRawPointer?
    for name in names where opened == nil { opened = dlopen(name, RTLD_NOW | RTLD_LOCAL) }
    guard let opened else { throw Problem() }
    handle = opened
    (self.prefix, self.suffix) = (prefix, suffix)
  }

  /// Has `body` look up functions by their full names in the library's `dlopen` handle. `body` returns the
  /// name of a function that the library lacks; nil if it has all.
  package func findAll(_ body: (UnsafeMutableRawPointer) -> UnsafePointer<CChar>?) throws(Problem) {
    if let missing = body(handle) { throw Problem(function: String(cString: missing)) }
  }

  /// Returns the function `name`, given without prefix and suffix. `Function`, mostly inferred from the
  /// property that the caller assigns to, must be the C type of the function.
  package func find<Function>(_ name: String) throws(Problem) -> Function {
    guard let address = dlsym(handle, prefix + name + suffix) else {
      throw Problem(function: prefix + name + suffix)
    }
    return unsafeBitCast(address, to: Function.self)
  }
}
