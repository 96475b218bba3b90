/// User units for systemd: a socket, and a service that runs `continuo serve`. The service starts at the first
/// connection to the socket or, if it is enabled, at login.
enum SystemdUnits {
  /// The socket that systemd creates.
  struct Socket {
    /// The absolute path; nil for the default socket.
    var path: String?
    var mode: UInt32 = 0o600
    var group: String?
  }

  /// Returns both units, each after a line with the path at which to install it.
  ///
  /// - Parameters:
  ///   - program: the absolute path of `continuo`.
  ///   - arguments: the arguments of `serve`, without the options of the socket.
  ///   - directory: the absolute path to which relative paths in `arguments` refer; nil if there are none.
  ///   - socket: the socket, with mode and group.
  static func text(program: String, arguments: [String], directory: String?, socket: Socket) -> String {
    let command = ([program, "serve"] + arguments).map(quoted).joined(separator: " ")
    let place = directory.map { "WorkingDirectory=\(escaped($0))\n" } ?? ""
    let group = socket.group.map { "SocketGroup=\($0)\n" } ?? ""
    return """
      # ~/.config/systemd/user/continuo.socket
      [Unit]
      Description=Control socket of Continuo
      Documentation=man:continuo-serve(1)

      [Socket]
      ListenStream=\(socket.path.map(escaped) ?? "%t/continuo/socket")
      SocketMode=\(octal(socket.mode | 0o600))
      \(group)DirectoryMode=\(socket.mode & 0o077 == 0 ? "0700" : "0711")
      RemoveOnStop=yes

      [Install]
      WantedBy=sockets.target

      # ~/.config/systemd/user/continuo.service
      [Unit]
      Description=Continuo, an audio queue player
      Documentation=man:continuo-serve(1)
      Requires=continuo.socket
      After=continuo.socket sound.target
      # A music folder that is mounted late is awaited. Beyond the limit are only starts by clients of a service that
      # ends at once.
      StartLimitIntervalSec=60
      StartLimitBurst=60

      [Service]
      Type=notify
      \(place)ExecStart=\(command)
      # The shell has a kill; the program is of a package (procps) that may be missing.
      ExecReload=/bin/sh -c "kill -HUP ${MAINPID}"
      Restart=on-failure
      RestartSec=5
      # An invalid command line, or a file of an option that cannot be used.
      RestartPreventExitStatus=64
      # Ended by SIGTERM, as systemd does it: no failure.
      SuccessExitStatus=143
      # A player has far fewer files, threads and bytes.
      LimitNOFILE=4096
      TasksMax=512
      MemoryMax=1G
      # What a player needs of the machine, and no more.
      NoNewPrivileges=yes
      KeyringMode=private
      LockPersonality=yes
      MemoryDenyWriteExecute=yes
      RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
      RestrictNamespaces=yes
      RestrictRealtime=yes
      RestrictSUIDSGID=yes
      SystemCallArchitectures=native
      SystemCallErrorNumber=EPERM
      SystemCallFilter=@system-service
      SystemCallFilter=~@privileged @resources
      # The PulseAudio of --null-sink; the scan in the background.
      SystemCallFilter=@chown @setuid capset setpriority
      UMask=0077
      # A namespace of its own, in which the manager of a user may protect the files below, too. Where the
      # system has none for users, the service ends at its start (217, 226) and needs a drop-in with
      # PrivateUsers=no and CapabilityBoundingSet=~.
      PrivateUsers=yes
      CapabilityBoundingSet=
      ProtectControlGroups=yes
      ProtectHostname=yes
      ProtectSystem=full

      [Install]
      WantedBy=default.target

      """
  }

  /// Returns the arguments of `serve` for the service: without `--print-systemd-unit`, and without the options of
  /// the socket, which are settings of the socket's unit.
  static func arguments(_ all: some Sequence<String>) -> [String] {
    let removed = ["--socket", "--socket-mode", "--socket-group"]
    var kept: [String] = []
    var isValue = false
    for argument in all {
      if isValue {
        isValue = false
      } else if removed.contains(argument) {
        isValue = true
      } else if argument != "--print-systemd-unit", !removed.contains(where: { argument.hasPrefix("\($0)=") })
      {
        kept.append(argument)
      }
    }
    return kept
  }

  private static func octal(_ mode: UInt32) -> String {
    let digits = String(mode, radix: 8)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

  /// Returns a path with its specifiers escaped.
  private static func escaped(_ path: String) -> String {
    path.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%%")
  }

  /// Returns a word for a command line in systemd.service(5), with specifiers and variables escaped. An empty word,
  /// and a word with separators, quotes or backslashes, is returned in quotes.
  static func quoted(_ word: String) -> String {
    var text = ""
    for character in word.unicodeScalars {
      switch character {
      case "%": text += "%%"
      case "$": text += "$$"
      case "\\", "\"": text += "\\\(character)"
      case "\n": text += "\\n"
      default: text.unicodeScalars.append(character)
      }
    }
    let isPlain = !word.isEmpty && !word.unicodeScalars.contains { "\\\" \t';\n".unicodeScalars.contains($0) }
    return isPlain ? text : "\"\(text)\""
  }
}
