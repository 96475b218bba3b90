// Publishers, subjects, operators, `@Published` and `ObservableObject` are OpenCombine's. So are the publishers of
// `NotificationCenter` and `Timer`, and the schedulers `DispatchQueue`, `OperationQueue` and `RunLoop`. This module
// adds the publishers of this package's own types.
@_exported public import OpenCombine
@_exported public import OpenCombineDispatch
@_exported public import OpenCombineFoundation
