import Foundation
package import Transfer

extension ResponseHead {
  /// The challenge for Digest authentication, or else for Basic, and the realm, empty if missing; nil without
  /// such a challenge.
  package var challenge: (scheme: Authentication, realm: String)? {
    let texts = fields.all.filter { HTTPFields.isSame($0.name, "WWW-Authenticate") }.map(\.value)
    for scheme in [Authentication.digest, .basic] {
      guard let text = texts.first(where: { $0.lowercased().hasPrefix(scheme.rawValue) }) else { continue }
      guard let start = text.range(of: "realm=\"", options: .caseInsensitive) else { return (scheme, "") }
      return (scheme, String(text[start.upperBound...].prefix { $0 != "\"" }))
    }
    return nil
  }
}
