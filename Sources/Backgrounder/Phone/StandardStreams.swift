// Without Continuo, which brings Foundation and with it `stdout` and `stderr` as Swift 6 does not take them.
@preconcurrency import Glibc

/// Writes a line to standard error.
func complain(_ text: String) { fputs(text + "\n", stderr) }

/// Makes standard output line-buffered, also into a pipe, so that a person or a test sees each line at once.
func printLineByLine() { setvbuf(stdout, nil, _IOLBF, 0) }

/// Writes the buffered lines of standard output. Not those of all streams: the thread that reads standard input holds its lock.
func flushOutput() { fflush(stdout) }
