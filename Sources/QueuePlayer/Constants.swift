/// Nanoseconds in a second; Dispatch on Linux does not have it.
public let NSEC_PER_SEC: UInt64 = 1_000_000_000
