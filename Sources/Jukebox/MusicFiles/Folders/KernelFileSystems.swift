import Glibc
import SystemSupport

/// The file systems that the kernel generates, such as `/proc`, `/sys` and `/dev`, wherever they are mounted.
/// They contain no music, change while they are read, and some of their files never end. Identified by the
/// device number, which `/proc/self/mountinfo` lists with the type. (`statfs` reports the same type for
/// `/dev` as for any `tmpfs`.)
package struct KernelFileSystems: Sendable {
  private static let types: Set<String> = [
    "binfmt_misc", "bpf", "cgroup", "cgroup2", "configfs", "debugfs", "devpts", "devtmpfs", "efivarfs",
    "fusectl", "hugetlbfs", "mqueue", "nfsd", "nsfs", "proc", "pstore", "rpc_pipefs", "securityfs",
    "selinuxfs", "smackfs", "sysfs", "tracefs",
  ]
  /// The maximum size of the list of mounts, in bytes: enough for about ten thousand mounts.
  private static let listLimit = 4 << 20

  private let devices: Set<UInt64>

  /// Reads the list of mounts. The result is empty if the list cannot be read, as without a mounted `/proc`.
  package init() {
    self.init(mounts: (try? FileBytes.read(MediaPath("/proc/self/mountinfo"), limit: Self.listLimit)) ?? [])
  }

  /// Parses a list of mounts in the format of proc(5): `36 35 98:0 / /mnt rw master:1 - ext3 /dev/root rw`.
  init(mounts: [UInt8]) {
    var devices: Set<UInt64> = []
    for line in mounts.split(separator: UInt8(ascii: "\n")) {
      let words = line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
      guard let mark = words.firstIndex(of: "-"), mark > 2, words.indices.contains(mark + 1),
        Self.types.contains(words[mark + 1])
      else { continue }
      let numbers = words[2].split(separator: ":").compactMap { UInt64($0) }
      if numbers.count == 2 { devices.insert(Self.device(major: numbers[0], minor: numbers[1])) }
    }
    self.devices = devices
  }

  /// Returns the device number. Glibc's `makedev` is a macro, which Swift does not import.
  private static func device(major: UInt64, minor: UInt64) -> UInt64 {
    (major & 0xFFF) << 8 | (major & ~0xFFF) << 32 | minor & 0xFF | (minor & ~0xFF) << 12
  }

  package func contains(_ identity: FileStatus.Identity) -> Bool { devices.contains(identity.device) }
}
