// The module that `import BackgroundTasks` finds where Apple's framework does not exist.
@_exported public import Continuo
