import Combine
import ContinuoNetworking
import ContinuoTesting
import Testing

/// The publisher of data tasks.
@MainActor
@Suite("Combine: publishers of data tasks", .timeLimit(.minutes(10)))
struct DataTaskPublisherTests {
  private struct Episode: Decodable, Equatable {
    var title: String
  }

  @Test("loads once for each subscriber, decoded, and received on the main queue")
  func load() async throws {
    try await withTestDevice { device in
      device.network.serve(.data(Array(#"{"title": "Ground"}"#.utf8)), at: "https://feed.test/1")
      await device.launchApplication()
      let url = try #require(URL(string: "https://feed.test/1"))
      var episodes: [Episode] = []
      var isFinished = false
      let publisher = URLSession.shared.dataTaskPublisher(for: url)
      #expect(device.network.requests.isEmpty)
      let subscription = publisher.map(\.data).decode(type: Episode.self, decoder: JSONDecoder())
        .receive(on: DispatchQueue.main)
        .sink(
          receiveCompletion: { if case .finished = $0 { isFinished = true } },
          receiveValue: { episodes.append($0) })
      await device.advance(by: .seconds(5))
      #expect(episodes == [Episode(title: "Ground")] && isFinished && device.network.requests.count == 1)
      withExtendedLifetime(subscription) {}
    }
  }

  @Test("creates its task at the first demand, and none after a cancellation")
  func demand() async throws {
    try await withTestDevice { device in
      device.network.serve(.data([1, 2, 3]), at: "https://feed.test/1")
      await device.launchApplication()
      let publisher = URLSession.shared.dataTaskPublisher(
        for: try #require(URL(string: "https://feed.test/1")))
      var values: [Data] = []
      func subscribe() throws -> any Subscription {
        var subscription: (any Subscription)?
        publisher.subscribe(
          AnySubscriber(
            receiveSubscription: { subscription = $0 },
            receiveValue: { value in
              values.append(value.data)
              return .none
            }, receiveCompletion: { _ in }))
        return try #require(subscription)
      }
      let (first, second) = (try subscribe(), try subscribe())
      #expect(await URLSession.shared.allTasks.isEmpty)
      second.cancel()
      second.request(.max(1))
      #expect(await URLSession.shared.allTasks.isEmpty)
      first.request(.max(1))
      first.request(.max(1))
      #expect(await URLSession.shared.allTasks.count == 1)
      await device.advance(by: .seconds(5))
      #expect(values == [Data([1, 2, 3])] && device.network.requests.count == 1)
    }
  }

  @Test("releases its task and response with the subscription", arguments: [false, true])
  func release(isCancelled: Bool) async throws {
    try await withTestDevice { device in
      device.network.serve(.data([UInt8](repeating: 1, count: 100_000)), at: "https://feed.test/1")
      device.network.link = .init(bytesPerSecond: 10_000)
      await device.launchApplication()
      let url = try #require(URL(string: "https://feed.test/1"))
      var count = 0
      var subscription: AnyCancellable? = URLSession.shared.dataTaskPublisher(for: url).sink(
        receiveCompletion: { _ in }, receiveValue: { count += $0.data.count })
      weak let task = await URLSession.shared.allTasks.first
      #expect(task != nil)
      await device.advance(by: .seconds(2))
      if isCancelled { subscription?.cancel() }
      await device.advance(by: .seconds(20))
      subscription = nil
      #expect(count == (isCancelled ? 0 : 100_000) && task == nil && subscription == nil)
    }
  }

  @Test("fails with the task's error; the end of the subscription cancels the task")
  func failure() async throws {
    try await withTestDevice { device in
      device.network.serve(.data([UInt8](repeating: 1, count: 100_000)), at: "https://feed.test/1")
      device.network.link = .init(bytesPerSecond: 10_000)
      await device.launchApplication()
      var errors: [URLError.Code] = []
      let nobody = URLRequest(url: try #require(URL(string: "https://nobody.test/")))
      let failing = URLSession.shared.dataTaskPublisher(for: nobody).sink(
        receiveCompletion: { if case .failure(let error) = $0 { errors.append(error.code) } },
        receiveValue: { _ in })
      let url = try #require(URL(string: "https://feed.test/1"))
      let cancelled = URLSession.shared.dataTaskPublisher(for: url).sink(
        receiveCompletion: { _ in Issue.record("an end after the cancellation") },
        receiveValue: { _ in Issue.record("a value after the cancellation") })
      await device.advance(by: .seconds(2))
      #expect(errors == [.cannotFindHost])
      #expect(await URLSession.shared.allTasks.count == 1)
      cancelled.cancel()
      await device.advance(by: .seconds(1))
      #expect(await URLSession.shared.allTasks.isEmpty)
      withExtendedLifetime(failing) {}
    }
  }
}
