/// The version of Continuo, defined only here.
package enum Version {
  /// The version number, as on the page "Changes" of the documentation.
  package static let number = "0.1.0"
}
