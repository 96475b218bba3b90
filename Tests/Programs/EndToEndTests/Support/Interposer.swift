import Foundation
import PulseTestSupport

/// Functions in C that a program gets in place of the system's.
struct Interposer {
  /// What the program's environment must have.
  let environment: [String: String]

  /// Compiles `source` into a folder.
  init(_ source: String, in folder: String, environment: [String: String] = [:]) async throws {
    let name = "\(folder)/interposer-\(UUID().uuidString)"
    try source.write(toFile: "\(name).c", atomically: true, encoding: .utf8)
    _ = try await output(of: ["clang", "-shared", "-fPIC", "-O1", "-o", "\(name).so", "\(name).c"])
    self.environment = environment.merging(["LD_PRELOAD": "\(name).so"]) { $1 }
  }

  /// A machine whose network the test makes.
  ///
  /// - Parameters:
  ///   - names: what names stand for: the first lookup of a name finds its first address, and so on; the last one stays.
  ///   - offline: while there is a file at this path, there is no way to anywhere.
  /// Addresses 192.31.196.… are public ones that lead to 127.0.0.1.
  static func network(
    in folder: String, names: [String: [String]] = [:], offline: String = ""
  ) async throws -> Interposer {
    let list = names.map { "\($0.key)=\($0.value.joined(separator: ","))" }.joined(separator: ";")
    return try await Interposer(
      networkSource, in: folder, environment: ["TEST_NAMES": ";\(list);", "TEST_OFFLINE": offline])
  }

  /// A machine where /proc is not mounted.
  static func withoutProc(in folder: String) async throws -> Interposer {
    try await Interposer(procSource, in: folder)
  }

  /// A machine whose disk finishes nothing while there is a file at this path.
  static func disk(in folder: String, stalledBy path: String) async throws -> Interposer {
    try await Interposer(diskSource, in: folder, environment: ["TEST_STALLED": path])
  }

  private static let diskSource = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <stdlib.h>
    #include <unistd.h>

    int rename(const char *old, const char *new) {
      int (*real)(const char *, const char *) = dlsym(RTLD_NEXT, "rename");
      while (access(getenv("TEST_STALLED"), F_OK) == 0) pause();
      return real(old, new);
    }
    """

  private static let procSource = """
    #define _GNU_SOURCE
    #include <dirent.h>
    #include <dlfcn.h>
    #include <errno.h>
    #include <fcntl.h>
    #include <stdarg.h>
    #include <stdio.h>
    #include <string.h>
    #include <sys/types.h>

    static int isGone(const char *path) {
      if (strncmp(path, "/proc/", 6) != 0) return 0;
      errno = ENOENT;
      return 1;
    }

    #define OPEN(name) \\
      int name(const char *path, int flags, ...) { \\
        int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, #name); \\
        va_list rest; \\
        va_start(rest, flags); \\
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \\
        va_end(rest); \\
        return isGone(path) ? -1 : real(path, flags, mode); \\
      }
    OPEN(open)
    OPEN(open64)

    #define FOPEN(name) \\
      FILE *name(const char *path, const char *mode) { \\
        FILE *(*real)(const char *, const char *) = dlsym(RTLD_NEXT, #name); \\
        return isGone(path) ? NULL : real(path, mode); \\
      }
    FOPEN(fopen)
    FOPEN(fopen64)

    ssize_t readlink(const char *restrict path, char *restrict target, size_t size) {
      ssize_t (*real)(const char *, char *, size_t) = dlsym(RTLD_NEXT, "readlink");
      return isGone(path) ? -1 : real(path, target, size);
    }

    DIR *opendir(const char *path) {
      DIR *(*real)(const char *) = dlsym(RTLD_NEXT, "opendir");
      return isGone(path) ? NULL : real(path);
    }
    """

  private static let networkSource = """
    #define _GNU_SOURCE
    #include <arpa/inet.h>
    #include <dlfcn.h>
    #include <errno.h>
    #include <netdb.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/socket.h>
    #include <unistd.h>

    static unsigned isLed[4096];
    static int isPublic(const struct sockaddr_in *a) { return (ntohl(a->sin_addr.s_addr) >> 8) == 0xC01FC4; }

    int connect(int s, const struct sockaddr *address, socklen_t size) {
      int (*real)(int, const struct sockaddr *, socklen_t) = dlsym(RTLD_NEXT, "connect");
      if (address->sa_family != AF_INET && address->sa_family != AF_INET6) return real(s, address, size);
      const char *offline = getenv("TEST_OFFLINE");
      if (offline && *offline && access(offline, F_OK) == 0) { errno = ENETUNREACH; return -1; }
      isLed[s & 4095] = 0;
      if (address->sa_family == AF_INET && isPublic((const struct sockaddr_in *)address)) {
        struct sockaddr_in other = *(const struct sockaddr_in *)address;
        isLed[s & 4095] = other.sin_addr.s_addr;
        other.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        return real(s, (const struct sockaddr *)&other, sizeof other);
      }
      return real(s, address, size);
    }

    int getpeername(int s, struct sockaddr *address, socklen_t *size) {
      int (*real)(int, struct sockaddr *, socklen_t *) = dlsym(RTLD_NEXT, "getpeername");
      int result = real(s, address, size);
      if (result == 0 && address->sa_family == AF_INET && isLed[s & 4095])
        ((struct sockaddr_in *)address)->sin_addr.s_addr = isLed[s & 4095];
      return result;
    }

    int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
      int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **) =
        dlsym(RTLD_NEXT, "getaddrinfo");
      static int lookups[16];
      const char *names = getenv("TEST_NAMES");
      char key[300];
      if (!name || !names || snprintf(key, sizeof key, ";%s=", name) >= (int)sizeof key)
        return real(name, service, hints, found);
      const char *entry = strstr(names, key);
      if (!entry) return real(name, service, hints, found);
      int index = 0;
      for (const char *each = names; each < entry; each++) index += *each == ';';
      int number = __atomic_fetch_add(&lookups[index % 16], 1, __ATOMIC_RELAXED);
      const char *at = entry + strlen(key);
      for (; number > 0; number--) {
        size_t length = strcspn(at, ",;");
        if (at[length] == ';') break;
        at += length + 1;
      }
      char address[100];
      snprintf(address, sizeof address, "%.*s", (int)strcspn(at, ",;"), at);
      return real(address, service, hints, found);
    }
    """
}
