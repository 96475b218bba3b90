// Swift 6.3 looks for a process's arguments in /proc/self/maps, and has none where /proc is not mounted. Here it gets
// those that the system passed, which glibc gives to constructors.
#include <CArguments.h>

// Of Swift's runtime: what CommandLine has from now on. Weak, since it is no part of Swift's documented interface:
// without it CommandLine is as Swift makes it.
extern void _swift_stdlib_overrideUnsafeArgvArgc(char **arguments, int count) __attribute__((weak));

__attribute__((constructor)) static void continuo_pass_arguments(int count, char **arguments) {
  if (_swift_stdlib_overrideUnsafeArgvArgc && count > 0) _swift_stdlib_overrideUnsafeArgvArgc(arguments, count);
}
