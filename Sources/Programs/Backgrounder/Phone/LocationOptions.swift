import ArgumentParser
import ContinuoLocation

/// The options of the phone's location.
struct LocationOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Location source: a GPX file, followed from the start on; freeway, a supplied drive; gpsd[:HOST[:PORT]].",
      valueName: "source"))
  var location: String?

  @Option(help: ArgumentHelp("Speed at which the route is followed; 1: real time.", valueName: "factor"))
  var locationSpeed = 1.0

  @Option(help: "Owner's answer to the request for the location: \(BackgrounderCommand.names(Answer.self)).")
  var locationAnswer = Answer.always

  enum Answer: String, CaseIterable, ExpressibleByArgument {
    case always
    case whenInUse = "when-in-use"
    case denied

    var status: CLAuthorizationStatus {
      switch self {
      case .always: .authorizedAlways
      case .whenInUse: .authorizedWhenInUse
      case .denied: .denied
      }
    }
  }

  /// Returns the location source, the answer of the phone's owner and the texts of the permission request. `infoPlist`:
  /// the path of a property list with these texts; nil for a default text.
  func makeLocation(infoPlist: String?) throws -> Plan.Location {
    var result = Plan.Location(answer: locationAnswer.status)
    if let location { result.source = try LocationSource(option: location, speed: locationSpeed) }
    if let infoPlist { result.usage = try LocationUsage(infoPlist: infoPlist) }
    return result
  }
}
