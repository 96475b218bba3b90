// What `import CoreMedia` brings where Apple's framework does not exist.
@_exported public import Continuo
