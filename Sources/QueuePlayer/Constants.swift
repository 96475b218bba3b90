public import Dispatch
public import Foundation

// What Apple's Dispatch and Foundation have and Linux's do not.

/// Nanoseconds in a second.
public let NSEC_PER_SEC: UInt64 = 1_000_000_000
/// Nanoseconds in a millisecond.
public let NSEC_PER_MSEC: UInt64 = 1_000_000
/// Nanoseconds in a microsecond.
public let NSEC_PER_USEC: UInt64 = 1_000
/// Microseconds in a second.
public let USEC_PER_SEC: UInt64 = 1_000_000

/// A dispatch queue, by the name that Apple's declarations have for it: `addPeriodicTimeObserver(forInterval:queue:using:)`
/// takes a `dispatch_queue_t?`.
public typealias dispatch_queue_t = DispatchQueue

/// Where a function writes an error that it does not throw.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?
