package import AudioCore
package import Transfer

extension DecodingError {
  /// Creates the error of a medium whose transfer failed.
  package init(_ failure: TransferFailure) {
    let reason: Reason =
      if failure.kind == .badAnswer {
        .badServer
      } else {
        failure.kind.urlErrorCode.map { .network(code: $0) } ?? .unsupported
      }
    self.init(reason: reason, message: failure.message)
  }
}
