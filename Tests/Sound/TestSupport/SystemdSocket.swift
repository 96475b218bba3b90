/// Returns the command that starts `command` with a listening socket at `path`, passed as systemd passes it, as the
/// first of `count`.
package func passingSocket(at path: String, to command: [String], count: Int = 1) -> [String] {
  let script = """
    import os, socket, sys
    s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(5)
    os.dup2(s.fileno(), 3); os.set_inheritable(3, True)
    os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS='\(count)', LISTEN_FDNAMES='continuo.socket')
    os.execv(sys.argv[2], sys.argv[2:])
    """
  return ["/usr/bin/python3", "-c", script, path] + command
}
