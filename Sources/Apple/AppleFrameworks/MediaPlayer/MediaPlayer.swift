// The module that `import MediaPlayer` finds where Apple's framework does not exist.
@_exported public import Continuo
