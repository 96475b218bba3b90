#include <stdlib.h>

// Tests that run at a time. Swift Testing 6.3 runs twice as many as there are processors, which is few for tests that mostly
// wait for real time. With 40 on two processors 25 threads were ready at a time and a conversation of 2 s took 50; with 12
// to 14 the whole run is as fast and 8 are ready. A process can only say so in its environment, before its first test.
__attribute__((constructor)) static void setWidth(void) {
  setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "12", 0);
}
