// Does not import Continuo, which brings Foundation's `stdout` and `stderr`. Swift 6 rejects these.
import Clocks
@preconcurrency import Glibc

/// Writes a line to standard error.
func complain(_ text: String) { fputs(text + "\n", stderr) }

/// Makes standard output line-buffered, even into a pipe, so that a person or a test sees each line
/// immediately.
func printLineByLine() { setvbuf(stdout, nil, _IOLBF, 0) }

/// Prints a line of the system with the time since the phone's start, in seconds: `[3.01] home`.
func sayAsSystem(_ text: String, at time: HostTime, since start: HostTime) {
  let hundredths = Int((time.seconds(since: start) * 100).rounded())
  print("[\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)] \(text)")
}
