// What `import AVFAudio` brings where Apple's framework does not exist.
@_exported public import Continuo
