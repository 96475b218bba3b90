/// The settings with which an application opens its transfer service.
package struct TransferSettings: Codable, Sendable {
  /// The path of the folder with all records and files.
  package var folder: String
  /// The application's state; nil to keep the state that the service knows, `front` at first.
  package var application: TransferServiceMachine.Application?
  /// The delay in seconds of tasks whose time the device chooses.
  package var discretionaryDelay: Double
  /// The header fields of requests that do not set them.
  package var defaultFields: [String: String]

  package init(
    folder: String, application: TransferServiceMachine.Application?, discretionaryDelay: Double,
    defaultFields: [String: String]
  ) {
    self.folder = folder
    self.application = application
    self.discretionaryDelay = discretionaryDelay
    self.defaultFields = defaultFields
  }
}
