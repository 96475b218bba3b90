// What `import AVFoundation` brings where Apple's framework does not exist.
@_exported public import Continuo
