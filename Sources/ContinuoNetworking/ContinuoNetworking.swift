// `URLRequest`, `HTTPURLResponse` and the types of challenges are those of Foundation; what this module declares itself wins
// over what FoundationNetworking calls the same.
@_exported public import Foundation
@_exported public import FoundationNetworking
