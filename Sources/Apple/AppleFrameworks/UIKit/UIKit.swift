// What `import UIKit` brings where Apple's framework does not exist.
@_exported public import Continuo
