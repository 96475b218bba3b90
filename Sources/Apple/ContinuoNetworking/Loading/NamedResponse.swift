import Foundation
import FoundationNetworking

/// A response that suggests the URL's file name, or else its host, if the server suggests none. In that case
/// FoundationNetworking suggests "Unknown" for all URLs, so that files would overwrite each other.
final class NamedResponse: HTTPURLResponse, @unchecked Sendable {
  // Unchecked, like the superclass; this class adds no state.

  override var suggestedFilename: String? {
    if let name = super.suggestedFilename, name != "Unknown" { return name }
    // An encoded slash in the last component must not lead into another folder.
    let last = url?.lastPathComponent.replacingOccurrences(of: "/", with: "_") ?? ""
    return [last, url?.host ?? ""].first { !["", "_", ".", ".."].contains($0) } ?? "unknown"
  }
}
