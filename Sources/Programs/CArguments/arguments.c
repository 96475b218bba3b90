// Passes the program's arguments to Swift's runtime. Swift 6.3 looks for them in /proc/self/maps, and has none
// if /proc is not mounted. glibc passes the system's arguments to constructors.
#include <CArguments.h>

// A function of Swift's runtime that sets CommandLine's arguments. Weak, since it is not part of Swift's
// documented interface: without it CommandLine is unchanged.
extern void _swift_stdlib_overrideUnsafeArgvArgc(char **arguments, int count) __attribute__((weak));

__attribute__((constructor)) static void continuo_pass_arguments(int count, char **arguments) {
  if (_swift_stdlib_overrideUnsafeArgvArgc && count > 0) _swift_stdlib_overrideUnsafeArgvArgc(arguments, count);
}
