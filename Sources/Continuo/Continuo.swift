// What an application imports: times, players, the application's life cycle, what others see of it; and Foundation
// with Observation, which Apple's AVFoundation and UIKit bring along too.
@_exported public import AppLifecycle
@_exported public import Foundation
@_exported public import MediaTime
@_exported public import NowPlaying
@_exported public import Observation
@_exported public import QueuePlayer

// The moments of the life cycle's records.
@_exported public import struct HostTime.HostTime
