import ControlProtocol
import MPDService
import SystemSupport

extension NetworkOptions {
  /// Reads the password file again. Makes `service` scan the music directory, and notify clients that the
  /// playlists may have changed. After an error in the password file, the earlier passwords stay valid. Any
  /// thread; blocks on the disk.
  func reload(_ service: JukeboxService) {
    do throws(PasswordFile.Problem) {
      service.reload(passwords: try passwords())
      StandardOutput.complain("reloaded", .info)
    } catch {
      service.reload(passwords: nil)
      StandardOutput.complain(
        "--password \(password ?? ""): \(error); the earlier passwords stay valid")
    }
  }
}
