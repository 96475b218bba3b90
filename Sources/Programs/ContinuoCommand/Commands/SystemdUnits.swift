/// User units for systemd that start `continuo serve` at the first connection to its socket.
enum SystemdUnits {
  /// Returns both units, each after a line with the path at which to install it. `arguments` follow `serve`.
  static func text(program: String, arguments: [String]) -> String {
    let command = ([program, "serve"] + arguments).map(quoted).joined(separator: " ")
    // In a user namespace the socket can be given to no other group.
    let isShared = arguments.contains { $0.hasPrefix("--socket-group") }
    let user = isShared ? "" : "PrivateUsers=yes\nCapabilityBoundingSet=\n"
    return """
      # ~/.config/systemd/user/continuo.socket
      [Unit]
      Description=Control socket of Continuo
      Documentation=man:continuo-serve(1)

      [Socket]
      ListenStream=%t/continuo/socket
      SocketMode=0600
      DirectoryMode=0700
      RemoveOnStop=yes

      [Install]
      WantedBy=sockets.target

      # ~/.config/systemd/user/continuo.service
      [Unit]
      Description=Continuo, an audio queue player
      Documentation=man:continuo-serve(1)
      Requires=continuo.socket
      After=continuo.socket sound.target

      [Service]
      Type=notify
      ExecStart=\(command)
      # The shell has a kill; the program is of a package (procps) that may be missing.
      ExecReload=/bin/sh -c "kill -HUP ${MAINPID}"
      Restart=on-failure
      RestartSec=1
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
      # --socket-group; the PulseAudio of --null-sink; the scan in the background.
      SystemCallFilter=@chown @setuid capset setpriority
      UMask=0077
      # A namespace of its own, in which the manager of a user may protect the files below, too. Where the
      # system has none for users, the service ends at its start (217, 226) and needs a drop-in with
      # PrivateUsers=no and CapabilityBoundingSet=~.
      \(user)ProtectControlGroups=yes
      ProtectHostname=yes
      ProtectSystem=full

      [Install]
      WantedBy=default.target

      """
  }

  /// Returns a word quoted for a command line in systemd.service(5), with specifiers, variables and
  /// separators escaped.
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
