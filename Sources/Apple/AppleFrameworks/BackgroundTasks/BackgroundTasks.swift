// What `import BackgroundTasks` brings where Apple's framework does not exist.
@_exported public import Continuo
