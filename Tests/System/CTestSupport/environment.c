#include <signal.h>
#include <stdlib.h>

// What a test process can only settle before its first test.
__attribute__((constructor)) static void prepare(void) {
  // Tests that run at a time. Swift Testing 6.3 runs twice as many as there are processors, which is few for tests that
  // mostly wait for real time. With 40 on two processors 25 threads were ready at a time and a conversation of 2 s took 50;
  // with 12 to 14 the whole run is as fast and 8 are ready.
  setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "12", 0);
  // The child of an exit test crashes on purpose. Swift's runtime would make a backtrace from a program of 200 MB: for 41
  // such tests 200 s of processor time. Crashes that nobody means keep theirs.
  if (getenv("SWT_EXIT_TEST_ID") == NULL) return;
  const int crashes[] = {SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP};
  for (size_t index = 0; index < sizeof crashes / sizeof *crashes; index++) signal(crashes[index], SIG_DFL);
}
