import Clocks
import TestSupport
import Testing

@testable import ContinuoNetworking
@testable import TransferService

/// When the device makes transfers, and when it wakes the application, as decisions.
@Suite("The transfer service's decisions")
struct TransferServiceMachineTests {
  typealias Machine = TransferServiceMachine

  /// Carries out in its head what a machine wants.
  struct Driver {
    var machine: Machine
    var now = HostTime(nanoseconds: 0)
    var commands: [Machine.Command] = []
    /// What was started, with the second.
    var starts: [Double] = []
    var wakes: [Double] = []

    init(_ application: Machine.Application = .front) {
      machine = Machine(discretionaryDelay: 600, application: application)
    }

    mutating func send(_ event: Machine.Event) {
      let new = machine.handle(event, at: now)
      commands += new
      for command in new {
        switch command {
        case .start: starts.append(now.seconds)
        case .wake:
          wakes.append(now.seconds)
          #expect(machine.limiter.delay >= 60, "a wake that does not count")
        default: break
        }
      }
    }

    mutating func advance(_ seconds: Double) {
      let end = now.advanced(bySeconds: seconds)
      while let next = machine.nextMoment, next <= end {
        now = max(now, next)
        send(.time)
      }
      now = end
    }

    mutating func take() -> [Machine.Command] {
      defer { commands = [] }
      return commands
    }

    mutating func begin(_ key: TransferKey, _ wishes: Machine.Wishes = .init()) {
      send(.added(key))
      send(.resumed(key, wishes))
    }
  }

  private let a = TransferKey(session: "s", task: 1)
  private let b = TransferKey(session: "s", task: 2)

  @Test(
    "An application that has ended is expected only for tasks that can end, of a session that may wake it")
  func mayWake() {
    for sends in [true, false] {
      var driver = Driver()
      driver.send(.connected("s", sendsLaunchEvents: sends))
      driver.send(.added(a))
      driver.send(.application(.gone))
      #expect(!driver.machine.mayWake, "not begun")
      driver.begin(a)
      #expect(driver.machine.mayWake == sends)
      driver.send(.held(a))
      #expect(!driver.machine.mayWake, "held")
      driver.send(.resumed(a, .init()))
      #expect(driver.machine.mayWake == sends)
      driver.send(.ended(a))
      #expect(driver.machine.mayWake == sends, "the wake is on its way")
      driver.send(.notWoken("s"))
      #expect(!driver.machine.mayWake, "given up")
    }
  }

  @Test("A wake that is lost with the process is requested again, unless the process was running for it")
  func lostWake() {
    for isRunning in [false, true] {
      var driver = Driver()
      driver.send(.connected("s", sendsLaunchEvents: true))
      driver.begin(a)
      driver.send(.application(.suspended))
      driver.send(.ended(a))
      _ = driver.take()
      if isRunning { driver.send(.application(.background)) }
      driver.send(.wakesLost)
      driver.send(.application(.gone))
      #expect(driver.take() == (isRunning ? [] : [.wake("s")]) && driver.machine.mayWake != isRunning)
      // The delay of later tasks is that of one wake.
      #expect(driver.machine.limiter.delay == 60)
    }
  }

  @Test(
    "An end that was delivered and not received wakes the application, once",
    arguments: [Machine.Application.suspended, .gone])
  func notReceived(_ next: Machine.Application) {
    var driver = Driver()
    driver.send(.connected("s", sendsLaunchEvents: true))
    driver.begin(a)
    driver.send(.ended(a))
    #expect(driver.take() == [.start(a), .deliver(a)])
    driver.send(.application(next))
    #expect(driver.take() == [.wake("s")])
    driver.send(.application(.background))
    driver.send(.told("s"))
    if next == .gone { driver.send(.connected("s", sendsLaunchEvents: true)) }
    // A suspended application still has the first message.
    #expect(driver.take() == (next == .gone ? [.deliver(a)] : []) + [.finishEvents("s")])
    driver.send(.application(.suspended))
    driver.send(.application(.gone))
    #expect(driver.take().isEmpty)
  }

  @Test("An end that was received, and one from before the user quit the application, wake nobody")
  func received() {
    var driver = Driver()
    driver.send(.connected("s", sendsLaunchEvents: true))
    driver.begin(a)
    driver.send(.ended(a))
    driver.send(.removed(a))
    driver.send(.application(.suspended))
    #expect(driver.take() == [.start(a), .deliver(a)])
    driver.send(.application(.front))
    driver.begin(b)
    driver.send(.ended(b))
    driver.send(.quit)
    driver.send(.application(.gone))
    #expect(driver.take() == [.start(b), .deliver(b)])
  }

  @Test("a task whose files are not in place waits for them, and begins as the application then wants it")
  func ready() {
    for isHeld in [false, true] {
      var driver = Driver()
      driver.send(.connected("s", sendsLaunchEvents: true))
      driver.send(.added(a, isReady: false))
      driver.send(.resumed(a, .init()))
      if isHeld { driver.send(.held(a)) }
      driver.advance(1000)
      #expect(driver.take().isEmpty)
      driver.send(.ready(a))
      #expect(driver.take() == (isHeld ? [] : [.start(a)]))
      driver.send(.resumed(a, .init()))
      #expect(driver.take() == (isHeld ? [.start(a)] : []))
    }
  }

  @Test("made in front a task begins at once, and its end is told at once")
  func front() {
    var driver = Driver()
    driver.send(.connected("s", sendsLaunchEvents: true))
    driver.begin(a)
    #expect(driver.take() == [.start(a)])
    driver.send(.ended(a))
    #expect(driver.take() == [.deliver(a)])
    driver.send(.removed(a))
    driver.send(.application(.suspended))
    driver.advance(1000)
    #expect(driver.take().isEmpty)
  }

  @Test(
    "B4: the application is woken when all tasks of the session are done, is told first, and hears the last word"
  )
  func wake() {
    var driver = Driver()
    driver.send(.connected("s", sendsLaunchEvents: true))
    driver.begin(a)
    driver.begin(b)
    driver.send(.application(.background))
    driver.send(.application(.suspended))
    _ = driver.take()
    driver.send(.ended(b))
    #expect(driver.take().isEmpty)
    driver.send(.ended(a))
    #expect(driver.take() == [.wake("s")])
    driver.send(.application(.background))
    #expect(driver.take().isEmpty)
    driver.send(.told("s"))
    #expect(driver.take() == [.deliver(b), .deliver(a), .finishEvents("s")])
  }

  @Test("B4: one that has ended hears when the session is made again; a session without launch events waits")
  func gone() {
    for sends in [true, false] {
      var driver = Driver()
      driver.send(.connected("s", sendsLaunchEvents: sends))
      driver.begin(a)
      driver.send(.application(.gone))
      _ = driver.take()
      driver.send(.ended(a))
      #expect(driver.take() == (sends ? [.wake("s")] : []))
      driver.send(.application(sends ? .background : .front))
      if sends { driver.send(.told("s")) }
      #expect(driver.take().isEmpty)
      driver.send(.connected("s", sendsLaunchEvents: sends))
      #expect(driver.take() == [.deliver(a)] + (sends ? [.finishEvents("s")] : []))
    }
  }

  @Test("an application that dies of it is not woken for the same events again")
  func dies() {
    var driver = Driver(.suspended)
    driver.send(.connected("s", sendsLaunchEvents: true))
    driver.send(.powered)
    driver.begin(a)
    driver.send(.ended(a))
    #expect(driver.wakes.count == 1)
    driver.send(.application(.background))
    driver.send(.told("s"))
    driver.send(.application(.gone))
    driver.advance(100_000)
    #expect(driver.wakes.count == 1)
    _ = driver.take()
    driver.send(.application(.front))
    driver.send(.connected("s", sendsLaunchEvents: true))
    #expect(driver.take() == [.deliver(a)])
  }

  @Test(
    "B5: ten tasks, each made when the application is woken for the one before, begin after 0, 60, 120, 240 … s"
  )
  func limiter() {
    var driver = Driver()
    driver.send(.connected("s", sendsLaunchEvents: true))
    driver.send(.powered)
    driver.send(.application(.background))
    var waits: [Double] = []
    for number in 1...10 {
      let key = TransferKey(session: "s", task: number)
      let made = driver.now
      driver.begin(key)
      driver.send(.application(.suspended))
      while driver.starts.count < number, let next = driver.machine.nextMoment {
        driver.advance(next.seconds(since: driver.now))
      }
      waits.append(driver.now.seconds(since: made))
      // The transfer takes 10 s.
      driver.advance(10)
      driver.send(.ended(key))
      driver.send(.application(.background))
      driver.send(.told("s"))
      driver.send(.removed(key))
    }
    #expect(waits == [0, 60, 120, 240, 480, 960, 1920, 3840, 7680, 15_360])
    #expect(driver.wakes.count == 10)
  }

  @Test(
    "B5: the delay is forgotten when a person brings the application to the front, or when nothing waits for it"
  )
  func forgotten() {
    var driver = Driver(.background)
    driver.send(.connected("s", sendsLaunchEvents: true))
    driver.send(.powered)
    driver.begin(a)
    driver.send(.application(.suspended))
    driver.send(.ended(a))
    #expect(driver.machine.limiter.delay == 60)
    driver.advance(60)
    #expect(driver.machine.limiter.delay == 0)
    driver.send(.application(.background))
    driver.send(.told("s"))
    driver.begin(b)
    driver.send(.application(.suspended))
    driver.send(.ended(b))
    driver.send(.application(.front))
    #expect(driver.machine.limiter.delay == 0)
  }

  @Test("B6: what the device may choose waits for 600 s or for power; what has an earliest date for that")
  func discretion() {
    var driver = Driver()
    driver.begin(a, .init(isDiscretionary: true))
    driver.send(.startsUnasked("s"))
    driver.begin(b, .init(earliest: HostTime(nanoseconds: 0).advanced(bySeconds: 50)))
    driver.advance(700)
    #expect(driver.starts == [50, 600])
    var powered = Driver(.background)
    powered.begin(a)
    powered.advance(100)
    #expect(powered.starts.isEmpty)
    powered.send(.powered)
    #expect(powered.starts == [100])
  }

  @Test(
    "B2: what the person ends with the application is cancelled, wakes nobody, and is told at the next launch"
  )
  func quit() {
    var driver = Driver()
    driver.send(.connected("s", sendsLaunchEvents: true))
    driver.begin(a)
    _ = driver.take()
    driver.send(.quit)
    driver.send(.application(.gone))
    #expect(driver.take() == [.cancel(a)])
    driver.advance(100_000)
    #expect(driver.wakes.isEmpty)
    _ = driver.take()
    driver.send(.application(.front))
    driver.send(.connected("s", sendsLaunchEvents: true))
    #expect(driver.take() == [.deliver(a)])
  }

  @Test("B3: what takes longer than it may has failed")
  func deadline() {
    var driver = Driver()
    driver.begin(a, .init(deadline: HostTime(nanoseconds: 0).advanced(bySeconds: 604_800)))
    driver.advance(604_799)
    #expect(driver.take() == [.start(a)])
    driver.advance(1)
    #expect(driver.take() == [.expire(a)])
  }

  @Test("2,000 random walks keep the rules", arguments: 0..<20)
  func walks(block: UInt64) {
    for seed in block * 100..<block * 100 + 100 {
      var random = RandomSource(seed: seed)
      var driver = Driver([.front, .background, .suspended, .gone][Int(random.next() % 4)])
      var running: Set<TransferKey> = []
      var ended: Set<TransferKey> = []
      var delivered: Set<TransferKey> = []
      var asked: Set<TransferKey> = []
      for _ in 0..<60 {
        let key = TransferKey(session: ["s", "t"][Int(random.next() % 2)], task: Int(random.next() % 4))
        let before = driver.machine
        let number = random.next()
        switch number % 12 {
        case 0, 1, 2:
          driver.begin(
            key,
            .init(
              earliest: number % 5 == 0 ? driver.now.advanced(bySeconds: 30) : nil,
              isDiscretionary: number % 7 == 0, deadline: driver.now.advanced(bySeconds: 5000)))
        case 3: driver.send(.held(key))
        case 4, 5:
          if asked.remove(key) != nil {
            driver.send(.answered(key))
          } else if running.contains(key) {
            ended.insert(key)
            driver.send(.ended(key))
          }
        case 6:
          if delivered.contains(key) {
            driver.send(.removed(key))
            running.remove(key)
            ended.remove(key)
            delivered.remove(key)
          }
        case 7: driver.send(.application([.front, .background, .suspended, .gone][Int(number / 12 % 4)]))
        case 8:
          driver.send(.connected(key.session, sendsLaunchEvents: number % 3 != 0))
          if number % 5 == 0 { driver.send(.startsUnasked(key.session)) }
        case 9: driver.send(.told(key.session))
        case 10: driver.advance([1, 50, 700, 6000][Int(number / 12 % 4)])
        default:
          if number % 24 == 11 { driver.send(.powered) } else if number % 36 == 11 { driver.send(.quit) }
        }
        if driver.machine.application == .gone || before.application == .gone {
          (delivered, asked) = ([], [])
        }
        for command in driver.take() {
          switch command {
          case .start(let key):
            #expect(!ended.contains(key) && !asked.contains(key), "started after its end, seed \(seed)")
            running.insert(key)
          case .hold(let key): #expect(running.remove(key) != nil, "held what does not run, seed \(seed)")
          case .expire(let key), .cancel(let key):
            running.remove(key)
            asked.remove(key)
            ended.insert(key)
          case .ask(let key):
            #expect(
              !ended.contains(key) && !running.contains(key) && asked.insert(key).inserted,
              "asked twice, or too late, seed \(seed)")
          case .deliver(let key):
            #expect(
              ended.contains(key) && delivered.insert(key).inserted, "told twice, or too early, seed \(seed)")
          case .wake(let session):
            #expect(
              [.suspended, .gone].contains(driver.machine.application), "woken while it runs, seed \(seed)")
            #expect(
              driver.machine.items.allSatisfy {
                $0.key.session != session || $0.value.isDone || $0.value.wishes == nil
              }
                || driver.machine.items.contains { $0.key.session == session && $0.value.isDelayed },
              "woken too early, seed \(seed)")
          case .stop, .finishEvents: break
          }
        }
        if let next = driver.machine.nextMoment {
          #expect(next > driver.now || number % 12 != 10, "time does not get on, seed \(seed)")
        }
      }
    }
  }
}
