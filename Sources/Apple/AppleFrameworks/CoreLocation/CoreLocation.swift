// What `import CoreLocation` brings where Apple's framework does not exist.
@_exported public import ContinuoLocation
