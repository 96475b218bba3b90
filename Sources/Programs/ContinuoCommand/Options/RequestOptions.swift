import ArgumentParser
import Clocks
import Continuo
import ControlProtocol
import CurlTransport
import MusicFiles
import SystemSupport
import Transfer

struct RequestOptions: ParsableArguments {
  @Option(
    help: .init(
      "Add a header field to HTTP requests, or those in a file. Repeatable.",
      discussion: """
        For example 'Authorization: Bearer …', or @FILE with one per line, which keeps secrets out of the process list. \
        Header fields are not sent to another server after a redirect.
        """, valueName: "name: value|@file"),
    transform: { HeaderChoice($0) })
  var header: [HeaderChoice] = []

  @Option(help: ArgumentHelp("The User-Agent header. (default: Continuo/VERSION)", valueName: "text"))
  var userAgent: String?

  @Option(
    help: .init(
      "Use a proxy, such as http://192.168.1.1:3128 or socks5h://127.0.0.1:9050.",
      discussion:
        "The default is the environment, as for curl: http_proxy, https_proxy, no_proxy.",
      valueName: "url"))
  var proxy: String?

  @Option(
    help: .init("Additional trusted certificate authorities, in a PEM file.", valueName: "file"),
    completion: .file())
  var cacert: String?

  @Flag(help: "Read users and passwords of servers from ~/.netrc.") var netrc = false

  @Option(
    help: .init(
      "The timeout for a URL without sound and without new bytes. (default: 60)",
      valueName: "seconds"),
    transform: { try Double(seconds: $0, least: 1) })
  var networkTimeout: Double?

  mutating func validate() throws {
    for choice in header {
      if let flaw = choice.flaw { throw ValidationError("--header: \(flaw).") }
    }
    try ValidationError.rejectEmpty(["--cacert": cacert, "--proxy": proxy])
    for (name, value) in [("--user-agent", userAgent), ("--proxy", proxy)] {
      guard let value, !HTTPFields.allows(name, value) else { continue }
      throw ValidationError("\(name) must not contain control characters.")
    }
    // The schemes of libcurl. It reports another one as a refused connection to the server.
    let schemes = ["http", "https", "socks", "socks4", "socks4a", "socks5", "socks5h"]
    if let proxy, let end = proxy.firstRange(of: "://") {
      guard schemes.contains(proxy[..<end.lowerBound].lowercased()) else {
        throw ValidationError(
          "--proxy \(proxy[..<end.lowerBound]): the schemes are \(schemes.joined(separator: ", ")).")
      }
    }
  }

  /// The files that the options name.
  var files: [MediaPath] {
    (header.compactMap(\.file) + [cacert].compactMap { $0 }).map { RawArguments.bytes(of: $0) }
  }

  /// Returns the network settings. Reads and checks the files that the options name.
  func settings() throws(SyntaxError) -> NetworkSettings {
    var settings = NetworkSettings()
    if let userAgent { settings.requests.userAgent = userAgent }
    for choice in header {
      for field in try choice.fields() { settings.requests.fields.set(field.name, field.value) }
    }
    if let networkTimeout { settings.times.giveUp = networkTimeout }
    settings.makeTransport = try makeTransport()
    return settings
  }

  private func makeTransport() throws(SyntaxError) -> @Sendable (any HostClock) -> any HTTPTransport {
    var options = CurlOptions()
    options.proxy = proxy
    options.usesNetrc = netrc
    if let cacert {
      let file = RawArguments.bytes(of: cacert).resolved(against: .workingDirectory())
      let bytes = try RequestOptions.read(file, of: "--cacert \(cacert)")
      guard String(decoding: bytes, as: UTF8.self).contains("-----BEGIN CERTIFICATE-----") else {
        throw SyntaxError("--cacert \(cacert): no PEM certificate found (BEGIN CERTIFICATE)")
      }
      options.certificateFile = file.description
    }
    let transport = CurlHTTPTransport(options: options)
    return { _ in transport }
  }

  fileprivate static func read(_ file: MediaPath, of option: String) throws(SyntaxError) -> [UInt8] {
    do throws(FileBytes.Problem) {
      // A bundle of all public certificate authorities has a quarter of a MiB.
      return try FileBytes.read(file, limit: 16 << 20)
    } catch {
      throw SyntaxError("\(option): \(error)")
    }
  }
}

struct HeaderChoice: Hashable, Sendable {
  private enum Source: Hashable {
    case line(String)
    case file(String)
  }

  private let source: Source

  /// Accepts every text, because an error would show the value, which may be a secret.
  init(_ text: String) { source = text.hasPrefix("@") ? .file(String(text.dropFirst())) : .line(text) }

  /// The name of the file with the fields; nil if the value is a field.
  var file: String? { if case .file(let name) = source { name } else { nil } }

  /// The reason why the value cannot be used, without the value; nil if it can. Files are not read.
  var flaw: String? {
    switch source {
    case .file(let name): return name.isEmpty ? "missing file name after @" : nil
    case .line(let text):
      do throws(SyntaxError) {
        _ = try Self.field(text)
        return nil
      } catch {
        return error.description
      }
    }
  }

  /// Returns the fields. Reads the file, if one is named.
  func fields() throws(SyntaxError) -> [HTTPFields.Field] {
    switch source {
    case .line(let text): return [try Self.field(text)]
    case .file(let name):
      let bytes = try RequestOptions.read(RawArguments.bytes(of: name), of: "--header @\(name)")
      var fields: [HTTPFields.Field] = []
      for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        .enumerated()
      {
        let line = String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
        guard !line.isEmpty, !line.hasPrefix("#") else { continue }
        do throws(SyntaxError) {
          fields.append(try Self.field(line))
        } catch {
          // The message omits the line, which may be a secret.
          throw SyntaxError("--header @\(name), line \(index + 1): expected NAME: VALUE")
        }
      }
      return fields
    }
  }

  private static func field(_ text: String) throws(SyntaxError) -> HTTPFields.Field {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    var fields = HTTPFields()
    if parts.count == 2, HTTPFields.allows(parts[0], parts[1]) { fields.add(parts[0], parts[1]) }
    guard let field = fields.all.first else {
      throw SyntaxError("a header field is like 'NAME: VALUE', in one line")
    }
    guard !RequestSettings.isReserved(field.name) else {
      throw SyntaxError("header field \(field.name) is reserved for the player")
    }
    return field
  }
}
