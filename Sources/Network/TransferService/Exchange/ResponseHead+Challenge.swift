import Foundation
package import Transfer

extension ResponseHead {
  /// The challenge for Digest authentication, or else for Basic, and the realm, empty if missing; nil without
  /// such a challenge.
  package var challenge: (scheme: Authentication, realm: String)? {
    let texts = fields.all.filter { HTTPFields.isSame($0.name, "WWW-Authenticate") }.map(\.value)
    // A field may contain several challenges, separated by commas.
    let challenges = texts.flatMap { text in
      text.split(separator: ",").map { text[$0.startIndex...].drop { $0 == " " } }
    }
    for scheme in [Authentication.digest, .basic] {
      let first = challenges.first { $0.lowercased().hasPrefix(scheme.rawValue) }
      guard let text = first else { continue }
      guard let start = text.range(of: "realm=\"", options: .caseInsensitive) else { return (scheme, "") }
      return (scheme, String(text[start.upperBound...].prefix { $0 != "\"" }))
    }
    return nil
  }
}
