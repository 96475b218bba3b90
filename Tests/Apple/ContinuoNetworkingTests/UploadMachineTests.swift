import TestSupport
import Testing

@testable import ContinuoNetworking
@testable import TransferService

@Suite("When an upload is sent") struct UploadMachineTests {
  @Test("a failure that may pass is followed by attempts after 1, 2, 4 … 60 s; another one is reported")
  func retries() {
    var machine = UploadMachine()
    #expect(machine.handle(.start) == [.examine(attempt: 1)])
    for (index, delay) in [1.0, 2, 4, 8, 16, 32, 60, 60].enumerated() {
      let attempt = index + 1
      #expect(
        machine.handle(.examined(.same(count: 5), attempt: attempt)) == [.connect(count: 5, attempt: attempt)]
      )
      #expect(machine.handle(.ended(mayPass: true, attempt: attempt)) == [.wait(delay, attempt: attempt)])
      #expect(machine.handle(.time(attempt: attempt)) == [.examine(attempt: attempt + 1)])
    }
    #expect(machine.handle(.examined(.missing, attempt: 9)) == [.reportFile(.missing)])
    #expect(machine.handle(.hold(true)) == [] && machine.handle(.cancel) == [])
  }

  @Test("resumed while it waits for a retry it begins at once, and the retry's time does not count any more")
  func resumedInRetry() {
    var machine = UploadMachine()
    _ = machine.handle(.start)
    _ = machine.handle(.examined(.same(count: 5), attempt: 1))
    _ = machine.handle(.ended(mayPass: true, attempt: 1))
    #expect(machine.handle(.hold(true)) == [])
    #expect(machine.handle(.hold(false)) == [.stopWaiting, .examine(attempt: 2)])
    #expect(machine.handle(.time(attempt: 1)) == [])
    #expect(machine.handle(.ended(mayPass: true, attempt: 1)) == [])
    #expect(machine.handle(.examined(.same(count: 5), attempt: 2)) == [.connect(count: 5, attempt: 2)])
  }

  @Test("10,000 random walks never have two exchanges, and end with one report at most", arguments: 0..<10)
  func walks(block: UInt64) {
    for seed in block * 1000..<block * 1000 + 1000 {
      var random = RandomSource(seed: seed)
      var machine = UploadMachine()
      var (exchange, examined, waiting): (Int?, Int?, Int?) = (nil, nil, nil)
      var (isHeld, reports, isCancelled) = (false, 0, false)
      for _ in 0..<60 {
        var event = UploadMachine.Event.start
        switch random.next() % 8 {
        case 0, 1:
          isHeld.toggle()
          event = .hold(isHeld)
        case 2, 3:
          guard let attempt = examined else { continue }
          event = .examined(random.next() % 20 == 0 ? .changed : .same(count: 5), attempt: attempt)
          examined = nil
        case 4:
          guard let attempt = exchange else { continue }
          exchange = nil
          event = .ended(mayPass: random.next() % 20 != 0, attempt: attempt)
        case 5:
          // Also one that was cancelled too late.
          event = .time(attempt: waiting ?? Int(random.next() % 5))
        case 6 where random.next() % 20 == 0:
          isCancelled = true
          event = .cancel
        default: break
        }
        for command in machine.handle(event) {
          switch command {
          case .examine(let attempt): examined = attempt
          case .connect(_, let attempt):
            #expect(exchange == nil && !isHeld && reports == 0 && !isCancelled, "seed \(seed)")
            exchange = attempt
          case .hold: #expect(exchange != nil, "seed \(seed)")
          case .wait(_, let attempt): waiting = attempt
          case .stopWaiting: waiting = nil
          case .close: exchange = nil
          case .report, .reportFile:
            reports += 1
            #expect(exchange == nil && reports == 1 && !isCancelled, "seed \(seed)")
          }
        }
      }
    }
  }
}
