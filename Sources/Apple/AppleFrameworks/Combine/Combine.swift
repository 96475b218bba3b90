// The module that `import Combine` finds where Apple's framework does not exist.
@_exported public import ContinuoCombine
