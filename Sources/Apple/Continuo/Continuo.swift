// The modules that an application gets with `import Continuo`. Foundation and Observation are included
// because Apple's AVFoundation and UIKit export them too.
@_exported public import AppLifecycle
@_exported public import AudioSession
@_exported public import Foundation
@_exported public import MediaAssets
@_exported public import MediaTime
@_exported public import NowPlaying
@_exported public import Observation
@_exported public import QueuePlayer

// The time type of the life-cycle records.
@_exported public import struct Clocks.HostTime

/// The version of Continuo, defined only here.
package enum Version {
  /// The version number, as on the page "Changes" of the documentation.
  package static let number = "0.1.0"
}
