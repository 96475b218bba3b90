#include <stdlib.h>

// What a test process can only say in its environment, before its first test.
__attribute__((constructor)) static void prepare(void) {
  // Tests that run at a time. Swift Testing 6.3 runs twice as many as there are processors, which is few for tests that
  // mostly wait for real time. With 40 on two processors 25 threads were ready at a time and a conversation of 2 s took 50;
  // with 12 to 14 the whole run is as fast and 8 are ready.
  setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "12", 0);
  // For the children of exit tests, which crash on purpose: the backtraces of 41 took 200 s of processor time. This process
  // has read its own setting already.
  setenv("SWIFT_BACKTRACE", "enable=no", 0);
}
