// The module that `import CoreLocation` finds where Apple's framework does not exist.
@_exported public import ContinuoLocation
