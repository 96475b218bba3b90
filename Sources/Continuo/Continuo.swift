// What an application imports: times, players, the application's life cycle, what others see of it.
@_exported public import AppLifecycle
@_exported public import MediaTime
@_exported public import NowPlaying
@_exported public import QueuePlayer

// The moments of the life cycle's records.
@_exported public import struct HostTime.HostTime
