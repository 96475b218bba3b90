// `URLRequest`, `HTTPURLResponse` and the challenge types are Foundation's. Types that this module declares
// take precedence over those of the same name in FoundationNetworking.
@_exported public import Foundation
@_exported public import FoundationNetworking
