// What `import MediaPlayer` brings where Apple's framework does not exist.
@_exported public import Continuo
