import Testing

@testable import Transfer

@Suite struct CredentialTests {
  static func url(_ text: String) throws -> WebURL { try WebURL.read(text).url }
  static let some = Credentials(user: "user", password: "S3CRET")
  static let others = Credentials(user: "other", password: "")

  @Test func credentialsBelongToAnOrigin() throws {
    let store = CredentialStore()
    store.set(Self.some, for: try Self.url("http://host/a?b"))
    for same in ["http://host/", "http://HOST:80/c"] {
      #expect(store.credentials(for: try Self.url(same)) == Self.some)
    }
    for other in ["https://host/", "http://host:81/", "http://www.host/", "http://host.example/"] {
      #expect(store.credentials(for: try Self.url(other)) == nil, "\(other)")
    }
  }

  /// Whoever may reach less neither uses nor changes what others have given.
  @Test func theReachIsPartOfTheOrigin() throws {
    let store = CredentialStore()
    let url = try Self.url("http://host/")
    store.set(Self.some, for: url)
    #expect(store.credentials(for: url, reach: .publicOnly) == nil)
    store.set(Self.others, for: url, reach: .publicOnly)
    #expect(store.credentials(for: url) == Self.some)
    #expect(store.credentials(for: url, reach: .publicOnly) == Self.others)
  }

  @Test func theOldestGiveWayAtTheLimit() throws {
    let store = CredentialStore()
    for number in 0...NetworkLimits.credentials {
      store.set(Self.some, for: try Self.url("http://host\(number)/"))
      store.set(Self.others, for: try Self.url("http://host\(number)/"))
    }
    #expect(store.credentials(for: try Self.url("http://host0/")) == nil)
    #expect(store.credentials(for: try Self.url("http://host1/")) == Self.others)
    #expect(store.credentials(for: try Self.url("http://host\(NetworkLimits.credentials)/")) == Self.others)
  }

  @Test(arguments: [
    ("http://user:S3CRET@host/a", "http://host/a"), ("http://us/er:S3@CRET@host", "http://host"),
    ("//u:S3CRET@h", "//h"), ("a@b", "a@b"), ("/x//y", "/x//y"), ("http://host/a@b", "http://b"), ("", ""),
  ])
  func whatIsToldHasNoCredentials(text: String, told: String) {
    #expect(String(decoding: WebURL.withoutCredentials(Array(text.utf8)), as: UTF8.self) == told)
  }
}
