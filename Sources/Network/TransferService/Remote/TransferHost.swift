package import Clocks
import Foundation
import Glibc
package import Transfer

/// The phone's side of `RemoteTransfers`: carries out the transfers of an application, which may be stopped, or
/// have ended, and be started again. Not thread-safe; methods do not block, except `disconnect` and `end`,
/// and `receive` when the application opens its service.
package final class TransferHost {
  private let transport: any HTTPTransport
  private let clock: any HostClock
  private let wake: @Sendable (String) -> Void
  private var service: BackgroundTransfers?
  private var files: DiskErrands?
  private var connection: (descriptor: Int32, sender: MessageSender, frames: MessageFrames)?

  /// Creates a host without a service. `wake` resumes or launches the application for a session; called on any
  /// thread, without a lock.
  package init(
    transport: any HTTPTransport, clock: any HostClock, wake: @escaping @Sendable (String) -> Void
  ) {
    self.transport = transport
    self.clock = clock
    self.wake = wake
  }

  /// Whether transfers of an application that has ended will launch it again.
  package var mayWake: Bool { service?.mayWake ?? false }

  /// Serves a process of the application on its socket. Must be preceded by `disconnect` for an earlier one.
  /// `isWoken`: whether the process is launched in the background, for a session.
  package func connect(_ descriptor: Int32, isWoken: Bool) {
    connection = (descriptor, MessageSender(descriptor, clock: clock), MessageFrames())
    service?.perform(.application(isWoken ? .background : .front))
  }

  /// Handles the calls that have arrived. Returns whether more may arrive.
  package func receive() -> Bool {
    guard let descriptor = connection?.descriptor else { return false }
    var bytes = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return true }
      guard count > 0 else { return false }
      connection?.frames.append(bytes[..<count])
      do {
        while let message = try connection?.frames.next(TransferRequestMessage.self) { receive(message) }
      } catch {
        return false
      }
    }
  }

  private func receive(_ message: TransferRequestMessage) {
    guard let sender = connection?.sender else { return }
    switch message {
    case .open(let settings): sender.send(TransferNotice.opened(open(settings)?.records))
    case .call(let call):
      if case .connect(let session, _) = call { service?.setClient(Relay(session, sender), of: session) }
      service?.perform(call)
    case .cancel(let key, let number):
      let answer = number.map { number -> @Sendable (Data?) -> Void in
        { sender.send(TransferNotice.resumeData($0, handler: number)) }
      }
      service?.cancel(key, producing: answer)
    }
  }

  private func open(_ settings: TransferSettings) -> BackgroundTransfers? {
    if let service, service.folder == settings.folder {
      if let application = settings.application { service.perform(.application(application)) }
      return service
    }
    closeService()
    let files = DiskErrands("url-files", on: clock)
    self.files = files
    service = try? BackgroundTransfers(
      settings, transport: transport, alarms: Alarms(clock: clock), files: files,
      today: { [clock] in clock.date(of: clock.now) }, wake: wake)
    return service
  }

  /// Stops serving the process, which has ended. Its last calls are handled first.
  package func disconnect() {
    guard let ended = connection else { return }
    _ = receive()
    service?.perform(.application(.gone))
    shutdown(ended.descriptor, Int32(SHUT_RDWR))
    ended.sender.close()
    close(ended.descriptor)
    connection = nil
  }

  /// Cancels the transfers, because the user has quit the application. Its next launch is notified.
  package func quit() { service?.perform(.quit) }

  /// Ends the transfers, so that they can be resumed when the application opens the service again.
  package func end() {
    disconnect()
    closeService()
  }

  private func closeService() {
    service?.close()
    files?.close()
    (service, files) = (nil, nil)
  }
}

/// Sends the events of a session to the application.
private final class Relay: TransferClient {
  private let session: String
  private let sender: MessageSender

  init(_ session: String, _ sender: MessageSender) {
    self.session = session
    self.sender = sender
  }

  func progressed(_ record: TaskRecord) { sender.send(TransferNotice.progressed(record), isProgress: true) }

  func resumed(_ record: TaskRecord, at offset: Int64) {
    sender.send(TransferNotice.resumed(record, offset: offset))
  }

  func ended(_ record: TaskRecord, file: String) { sender.send(TransferNotice.ended(record)) }

  func challenged(_ record: TaskRecord, failures: Int) {
    sender.send(TransferNotice.challenged(record, failures: failures))
  }

  func finishEvents() { sender.send(TransferNotice.finishEvents(session: session)) }
}
