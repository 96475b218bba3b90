/// The version of Continuo, defined only here.
package enum Version {
  /// The version number, as in the section "Changes" of README.md.
  package static let number = "0.1.0"
}
