// The module that `import AVFoundation` finds where Apple's framework does not exist.
@_exported public import Continuo
