import Testing

@testable import Transfer

@Suite struct CredentialTests {
  @Test(arguments: [
    ("http://user:S3CRET@host/a", "http://host/a"), ("http://us/er:S3@CRET@host", "http://host"),
    ("//u:S3CRET@h", "//h"), ("a@b", "a@b"), ("/x//y", "/x//y"), ("http://host/a@b", "http://b"), ("", ""),
  ])
  func whatIsToldHasNoCredentials(text: String, told: String) {
    #expect(String(decoding: WebURL.withoutCredentials(Array(text.utf8)), as: UTF8.self) == told)
  }
}
