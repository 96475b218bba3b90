// The module that `import UIKit` finds where Apple's framework does not exist.
@_exported public import Continuo
