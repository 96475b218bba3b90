// The module that `import AVFAudio` finds where Apple's framework does not exist.
@_exported public import Continuo
