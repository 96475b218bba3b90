// Does not import Continuo, which brings Foundation's `stdout` and `stderr`. Swift 6 rejects these.
@preconcurrency import Glibc

/// Writes a line to standard error.
func complain(_ text: String) { fputs(text + "\n", stderr) }

/// Makes standard output line-buffered, even into a pipe, so that a person or a test sees each line
/// immediately.
func printLineByLine() { setvbuf(stdout, nil, _IOLBF, 0) }

/// Writes the buffered lines of standard output. Does not flush all streams, because the thread that reads
/// standard input holds the lock of that stream.
func flushOutput() { fflush(stdout) }
