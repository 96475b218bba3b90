/// Which Continuo this is: the one place that has its version.
package enum Version {
  /// As in the section "Changes" of README.md.
  package static let number = "0.1.0"
}
