import Foundation
import Glibc
import TestSupport

/// A server that people run, on loopback with a configuration of its own, in a folder of its own. Ends with this object.
final class RealServer {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  let folder: TemporaryFolder
  private let process: Process

  /// Starts `command` in `folder`, and returns when it has logged this line and listens on these ports.
  init(
    _ command: [String], in folder: TemporaryFolder, logs line: String? = nil, ports: [Int],
    input: FileHandle? = nil
  ) throws {
    self.folder = folder
    let log = "\(command[0]).log"
    try folder.write(log)
    process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    process.standardInput = input ?? FileHandle.nullDevice
    process.standardOutput = FileHandle(forWritingAtPath: folder.file(log))
    process.standardError = process.standardOutput
    try process.run()
    let end = Date(timeIntervalSinceNow: 120)
    func wait(until what: String, _ isTrue: () -> Bool) throws {
      while !isTrue() {
        guard process.isRunning, Date() < end else {
          throw Failure(description: "\(command[0]) does not \(what), \(condition)")
        }
        Thread.sleep(forTimeInterval: 0.01)
      }
    }
    if let line { try wait(until: "log \(line)") { condition.contains(line) } }
    for port in ports { try wait(until: "listen on port \(port)") { Self.listens(port) } }
  }

  deinit { stop() }

  /// Whether it runs or how it ended, and what it has printed and logged.
  var condition: String {
    let texts = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
      .filter { $0.hasSuffix(".log") }.map {
        (try? String(contentsOfFile: folder.file($0), encoding: .utf8)) ?? ""
      }
    let state =
      process.isRunning ? "runs" : "ended with \(process.terminationReason) \(process.terminationStatus)"
    return "\(state): \(texts.joined(separator: "\n"))"
  }

  func stop() {
    guard process.isRunning else { return }
    // The mask of signals is inherited, and a thread of the tests may have them blocked.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  private static func listens(_ port: Int) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  /// nginx with the files of `root` over http, and over https with the certificate `server.pem` of the folder.
  static func nginx(_ folder: TemporaryFolder, root: String, http: Int, https: Int) throws -> RealServer {
    try folder.write(
      "nginx.conf",
      """
      daemon off; master_process off; pid \(folder.file("pid")); error_log stderr;
      events { worker_connections 64; }
      http {
        access_log off; types { audio/mpeg mp3; }
        client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi;
        scgi_temp_path scgi;
        server {
          listen 127.0.0.1:\(http); listen 127.0.0.1:\(https) ssl; root \(root); limit_rate 400k;
          ssl_certificate \(folder.file("server.pem")); ssl_certificate_key \(folder.file("server.key"));
        }
      }
      """)
    return try RealServer(
      ["nginx", "-p", folder.path, "-e", "stderr", "-c", folder.file("nginx.conf")], in: folder,
      ports: [http, https])
  }

  /// tinyproxy, which lets everything on loopback through; with `user`, a name and a password, who says both.
  static func tinyproxy(port: Int, user: (name: String, password: String)? = nil) throws -> RealServer {
    let folder = try TemporaryFolder()
    let password = user.map { "BasicAuth \($0.name) \($0.password)\n" } ?? ""
    try folder.write(
      "tinyproxy.conf",
      "Port \(port)\nListen 127.0.0.1\nAllow 127.0.0.1\nTimeout 60\nMaxClients 20\nLogLevel Connect\n\(password)"
    )
    return try RealServer(["tinyproxy", "-d", "-c", "tinyproxy.conf"], in: folder, ports: [port])
  }

  /// icecast2 without sources.
  static func icecast(port: Int) throws -> RealServer {
    let folder = try TemporaryFolder()
    // It does not run as root, and gives itself another user then, who has to reach the folder.
    let isRoot = geteuid() == 0
    if isRoot { chmod(folder.path, 0o777) }
    let owner = "<changeowner><user>nobody</user><group>nogroup</group></changeowner>"
    try folder.write(
      "icecast.xml",
      """
      <icecast><limits><burst-size>65536</burst-size></limits><location>x</location><admin>x@localhost</admin>
      <authentication><source-password>source</source-password><admin-user>admin</admin-user>
      <admin-password>admin</admin-password></authentication><hostname>127.0.0.1</hostname>
      <listen-socket><port>\(port)</port><bind-address>127.0.0.1</bind-address></listen-socket>
      <paths><basedir>\(folder.path)</basedir><logdir>\(folder.path)</logdir>
      <webroot>/usr/share/icecast2/web</webroot><adminroot>/usr/share/icecast2/admin</adminroot></paths>
      <logging><accesslog>access.log</accesslog><errorlog>error.log</errorlog><loglevel>3</loglevel></logging>
      <security><chroot>0</chroot>\(isRoot ? owner : "")</security></icecast>
      """)
    // Its last line before it waits. A connection that comes sooner can end it: 1 of 40 times, by SIGSEGV (2.4.4).
    return try RealServer(
      ["icecast2", "-c", "icecast.xml"], in: folder, logs: "YP update thread started", ports: [port])
  }

  /// A source client that sends what it reads from `input` to `/radio` of icecast2, at the pace of the sound.
  static func ezstream(to port: Int, input: FileHandle) throws -> RealServer {
    let folder = try TemporaryFolder()
    try folder.write(
      "ezstream.xml",
      """
      <ezstream><servers><server><protocol>HTTP</protocol><hostname>127.0.0.1</hostname><port>\(port)</port>
      <password>source</password></server></servers>
      <streams><stream><mountpoint>/radio</mountpoint><format>MP3</format><stream_name>Test radio</stream_name>
      </stream></streams><intakes><intake><type>stdin</type></intake></intakes></ezstream>
      """)
    chmod(folder.file("ezstream.xml"), 0o600)
    return try RealServer(["ezstream", "-c", "ezstream.xml"], in: folder, ports: [], input: input)
  }
}
