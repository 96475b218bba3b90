/// The values that a phone passes to its application in `PhoneLink.variable`. `description` is the variable's
/// value.
package struct PhoneInvitation: Hashable, Sendable, CustomStringConvertible {
  /// The descriptor of the socket for orders and reports.
  package var link: Int32
  /// The descriptor of the socket for background transfers.
  package var transfers: Int32
  /// The process ID of the phone.
  package var phone: Int32
  /// Whether the application is launched in the background, by an event that the phone sends.
  package var launchesInBackground: Bool
  /// The background modes that the phone has chosen; nil leaves the choice to the application.
  package var modes: BackgroundModes?

  package init(
    link: Int32, transfers: Int32, phone: Int32, launchesInBackground: Bool, modes: BackgroundModes?
  ) {
    self.link = link
    self.transfers = transfers
    self.phone = phone
    self.launchesInBackground = launchesInBackground
    self.modes = modes
  }

  package var description: String {
    let launch = launchesInBackground ? "background" : "front"
    return "\(link):\(transfers):\(phone):\(launch):\(modes.map { "\($0)" } ?? "")"
  }

  /// Parses the variable's value; nil if it is malformed.
  package init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 4, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 5, let link = Int32(parts[0]), let transfers = Int32(parts[1]),
      let phone = Int32(parts[2]), ["background", "front"].contains(parts[3])
    else { return nil }
    self.init(
      link: link, transfers: transfers, phone: phone, launchesInBackground: parts[3] == "background",
      modes: parts[4].isEmpty ? nil : BackgroundModes(list: parts[4]))
  }
}
