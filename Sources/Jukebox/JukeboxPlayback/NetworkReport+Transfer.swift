import ControlProtocol
import Transfer

extension NetworkReport {
  /// Creates the report for a transfer note; nil if the note is not reported.
  init?(_ note: TransferNote) {
    switch note {
    case .request(let first, let attempt):
      self.init(.request)
      from = first
      self.attempt = attempt
    case .response(let head, let url, _, let attempt):
      self.init(.response)
      self.url = url.text
      status = head.status
      from = head.contentRange?.bytes?.lowerBound
      total = head.contentRange?.total ?? head.contentLength
      self.attempt = attempt
    case .retry(_, let failure):
      self.init(.retry)
      error = failure.message
    case .complete(let total):
      self.init(.complete)
      self.total = total
    case .changed: self.init(What.changed)
    case .failed(let failure):
      self.init(.lost)
      error = failure.message
    case .progress, .entered, .live, .rejoined, .keptInMemory, .metadata: return nil
    }
  }
}
