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
  private var connection: Connection?

  private struct Connection {
    let descriptor: Int32
    let sender: MessageSender
    var frames = MessageFrames()
    /// Whether the process reports its state itself.
    var isOpen = false
  }

  /// Creates a host without a service. `wake` resumes or launches the application for a session; called on any
  /// thread, without a lock.
  package init(
    transport: any HTTPTransport, clock: any HostClock, wake: @escaping @Sendable (String) -> Void
  ) {
    self.transport = transport
    self.clock = clock
    self.wake = wake
  }

  /// Whether transfers of an application that has ended may launch it again.
  package var mayWake: Bool { service?.mayWake ?? false }

  /// Serves a process of the application on the socket `descriptor`, which `disconnect` closes. An earlier process
  /// must be disconnected before. `isWoken`: whether the process is launched in the background, for a session.
  package func connect(_ descriptor: Int32, isWoken: Bool) {
    connection = Connection(descriptor: descriptor, sender: MessageSender(descriptor, clock: clock))
    applicationEntered(isWoken ? .background : .front)
  }

  /// Passes the state of the process to the service, unless the process has opened the service and does so itself.
  package func applicationEntered(_ state: TransferServiceMachine.Application) {
    if connection?.isOpen == false { service?.perform(.application(state)) }
  }

  /// Records that the application was not woken for a session. Its events wait until the application makes the
  /// session.
  package func failedToWake(for session: String) { service?.perform(.notWoken(session: session)) }

  /// Handles the calls that have arrived before. Later ones wait for the next call of this method, so that a process
  /// that never stops sending does not keep the caller. Returns whether more may arrive.
  package func receive() -> Bool {
    guard let descriptor = connection?.descriptor else { return false }
    var arrived: Int32 = 0
    _ = ioctl(descriptor, UInt(FIONREAD), &arrived)
    var left = Int(arrived)
    do throws(MessageFrames.Problem) {
      repeat {
        guard let count = try connection?.frames.receive(from: descriptor, flags: Int32(MSG_DONTWAIT)) else {
          break
        }
        left -= count
        while let message = try connection?.frames.next(TransferRequestMessage.self) { receive(message) }
      } while left > 0
      return true
    } catch {
      if error == .invalid { connection?.sender.send(TransferNotice.opened(false)) }
      connection?.isOpen = false
      return false
    }
  }

  private func receive(_ message: TransferRequestMessage) {
    guard let sender = connection?.sender else { return }
    switch message {
    case .open(let settings):
      do throws(URLError) {
        let service = try open(settings)
        connection?.isOpen = true
        for record in service.records { sender.send(TransferNotice.record(record)) }
        sender.send(TransferNotice.opened(true))
      } catch {
        connection?.isOpen = false
        sender.send(
          TransferNotice.opened(false, failure: .failed(error.code, error.localizedDescription)))
      }
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

  private func open(_ settings: TransferSettings) throws(URLError) -> BackgroundTransfers {
    if let service, service.folder == settings.folder {
      if let application = settings.application { service.perform(.application(application)) }
      return service
    }
    closeService()
    let files = DiskErrands("url-files", on: clock)
    self.files = files
    let opened = try BackgroundTransfers(
      settings, transport: transport, alarms: Alarms(clock: clock), files: files,
      today: { [clock] in clock.date(of: clock.now) }, wake: wake)
    service = opened
    return opened
  }

  /// Stops serving the process, which has ended. Its last calls are handled first.
  package func disconnect() {
    guard let ended = connection else { return }
    _ = receive()
    service?.perform(.wakesLost)
    service?.perform(.application(.gone))
    shutdown(ended.descriptor, Int32(SHUT_RDWR))
    ended.sender.close()
    close(ended.descriptor)
    connection = nil
  }

  /// Cancels the transfers, because the user has quit the application. The application learns this after its
  /// next launch.
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

  func progressed(_ record: TaskRecord) { sender.send(TransferNotice.record(record), isProgress: true) }

  func resumed(_ record: TaskRecord, at offset: Int64) {
    sender.send(TransferNotice.resumed(record, offset: offset))
  }

  func ended(_ record: TaskRecord, file: String) { sender.send(TransferNotice.ended(record)) }

  func challenged(_ record: TaskRecord, failures: Int) {
    sender.send(TransferNotice.challenged(record, failures: failures))
  }

  func becameDue(_ record: TaskRecord) { sender.send(TransferNotice.becameDue(record)) }

  func finishEvents() { sender.send(TransferNotice.finishEvents(session: session)) }
}
