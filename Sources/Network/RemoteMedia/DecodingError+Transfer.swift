package import AudioCore
package import Transfer

extension DecodingError {
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
