// The module that `import CoreMedia` finds where Apple's framework does not exist.
@_exported public import Continuo
