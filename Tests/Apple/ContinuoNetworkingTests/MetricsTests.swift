import ContinuoNetworking
import ContinuoTesting
import Foundation
import NetworkTestSupport
import TestSupport
import Testing

@MainActor
@Suite("The metrics of a task", .timeLimit(.minutes(10)))
struct MetricsTests {
  @Test("they come before the end, with a transaction for each redirect, in virtual time")
  func virtual() async throws {
    try await withTestDevice(recordsSound: false) { device in
      device.network.serve(.redirect(to: "/a"), at: "https://files.test/old")
      device.network.serve(.data([UInt8](repeating: 7, count: 20_000)), at: "https://files.test/a")
      device.network.link = .init(bytesPerSecond: 10_000, latency: .seconds(1))
      await device.launchApplication()
      let log = TransferLog()
      let session = URLSession(configuration: .default, delegate: log, delegateQueue: .main)
      let task = session.dataTask(with: try #require(URL(string: "https://files.test/old")))
      await device.advance(by: .seconds(1))
      task.resume()
      await device.advance(by: .seconds(60))
      #expect(log.lines.last == "complete")
      let metrics = try #require(log.metrics)
      #expect(metrics.redirectCount == 1 && metrics.taskInterval.duration == 7)
      let transactions = metrics.transactionMetrics
      #expect(transactions.map { ($0.response as? HTTPURLResponse)?.statusCode } == [302, 200])
      #expect(transactions.map(\.request.url?.path) == ["/old", "/a"])
      let last = try #require(transactions.last)
      let start = try #require(last.fetchStartDate)
      let moments = [
        last.connectStartDate, last.connectEndDate, last.requestStartDate, last.requestEndDate,
        last.responseStartDate, last.responseEndDate,
      ].map { $0?.timeIntervalSince(start) }
      #expect(moments == [0, 1, 1, 1, 2, 4] && last.domainLookupStartDate == nil)
      #expect(last.countOfResponseBodyBytesReceived == 20_000 && last.resourceFetchType == .networkLoad)
      #expect(last.networkProtocolName == "http/1.1" && last.request.httpMethod == "GET")
    }
  }

  @Test("a failure, a cancelled task and a completion handler have them too")
  func failures() async throws {
    try await withTestDevice(recordsSound: false) { device in
      await device.launchApplication()
      let nobody = try #require(URL(string: "https://nobody.test/"))
      let log = TransferLog()
      let session = URLSession(configuration: .default, delegate: log, delegateQueue: .main)
      session.dataTask(with: nobody).resume()
      await device.advance(by: .seconds(1))
      let failed = try #require(log.metrics?.transactionMetrics.first)
      #expect(log.lines == ["complete -1003"] && failed.response == nil && failed.responseEndDate != nil)
      #expect(failed.networkProtocolName == nil)
      session.dataTask(with: nobody).cancel()
      await device.advance(by: .seconds(1))
      #expect(log.metrics?.transactionMetrics.isEmpty == true)
      session.dataTask(with: nobody) { _, _, _ in log.note("handler") }.resume()
      await device.advance(by: .seconds(1))
      #expect(log.lines.last == "handler" && log.metrics?.transactionMetrics.count == 1)
    }
  }

  @Test("a request without an answer in time has an end")
  func timeout() async throws {
    try await withTestDevice(recordsSound: false) { device in
      device.network.serve(.data([1]), at: "https://files.test/a")
      device.network.host("files.test").answers(after: .seconds(1000))
      await device.launchApplication()
      let log = TransferLog()
      let configuration = URLSessionConfiguration.default
      configuration.timeoutIntervalForRequest = 10
      let session = URLSession(configuration: configuration, delegate: log, delegateQueue: .main)
      session.dataTask(with: try #require(URL(string: "https://files.test/a"))).resume()
      await device.advance(by: .seconds(60))
      let only = try #require(log.metrics?.transactionMetrics.first)
      let (start, end) = (try #require(only.fetchStartDate), try #require(only.responseEndDate))
      #expect(log.lines == ["complete -1001"] && end.timeIntervalSince(start) == 10)
      #expect(only.responseStartDate == nil && only.requestStartDate != nil)
    }
  }

  @Test(
    "a file or a data URL is no network load, and one that cannot be read is no load",
    arguments: [true, false])
  func local(isFile: Bool) async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("a", [1, 2, 3])
    try await withTestDevice(recordsSound: false) { device in
      await device.launchApplication()
      let log = TransferLog()
      let session = URLSession(configuration: .default, delegate: log, delegateQueue: .main)
      let url = isFile ? URL(fileURLWithPath: path) : try #require(URL(string: "data:,abc"))
      session.dataTask(with: url).resume()
      await device.advance(by: .seconds(1))
      let transactions = try #require(log.metrics?.transactionMetrics)
      #expect(transactions.map(\.resourceFetchType) == [.localCache])
      #expect(transactions.first?.request.url == url && transactions.first?.response?.url == url)
      #expect(transactions.first?.networkProtocolName == nil)
      let none = isFile ? URL(fileURLWithPath: path + "x") : try #require(URL(string: "data:"))
      session.dataTask(with: none).resume()
      await device.advance(by: .seconds(1))
      #expect(log.error != nil && log.metrics?.transactionMetrics.isEmpty == true)
    }
  }

  @Test("a background task has its request, its response and its time")
  func background() async throws {
    try await withTestDevice(recordsSound: false) { device in
      device.network.serve(.data([1, 2, 3]), at: "https://files.test/a")
      await device.launchApplication()
      let log = TransferLog()
      let session = URLSession(
        configuration: .background(withIdentifier: "files"), delegate: log, delegateQueue: .main)
      session.downloadTask(with: try #require(URL(string: "https://files.test/a"))).resume()
      await device.advance(by: .seconds(10))
      let metrics = try #require(log.metrics)
      let responses = metrics.transactionMetrics.map { ($0.response as? HTTPURLResponse)?.statusCode }
      #expect(responses == [200] && metrics.transactionMetrics.first?.fetchStartDate == nil)
    }
  }
}

@Suite("The metrics of a task on loopback", .blocksThread, .timeLimit(.minutes(10)))
struct RealMetricsTests {
  @Test("the times are libcurl's, in order; the second request has the connection of the first")
  func times() async throws {
    let file = HostileFile([UInt8](repeating: 7, count: 100_000))
    let server = try HostileServer { file.answer($0) }
    let url = try #require(URL(string: server.url("/a")))
    let session = URLSession(configuration: .ephemeral)
    var all: [URLSessionTaskTransactionMetrics] = []
    for _ in 0..<2 {
      let log = TransferLog()
      var request = URLRequest(url: url)
      request.httpMethod = "POST"
      _ = try await session.upload(for: request, from: Data([1, 2, 3]), delegate: log)
      let metrics = log.metricsOfHandler
      #expect(metrics?.transactionMetrics.count == 1)
      if let first = metrics?.transactionMetrics.first { all.append(first) }
    }
    let first = try #require(all.first)
    let dates = [
      first.fetchStartDate, first.domainLookupStartDate, first.domainLookupEndDate, first.connectStartDate,
      first.connectEndDate, first.requestStartDate, first.requestEndDate, first.responseStartDate,
      first.responseEndDate,
    ].compactMap { $0 }
    #expect(dates.count == 9 && dates == dates.sorted(), "\(dates)")
    #expect(first.secureConnectionStartDate == nil && !first.isProxyConnection)
    #expect(first.remoteAddress == "127.0.0.1" && first.remotePort == server.port)
    #expect(first.localAddress == "127.0.0.1" && (first.localPort ?? 0) > 0)
    #expect(first.countOfRequestBodyBytesSent == 3 && first.countOfResponseBodyBytesReceived == 100_000)
    let second = try #require(all.last)
    #expect(all.map(\.isReusedConnection) == [false, true] && second.connectStartDate == nil)
    #expect(second.localPort == first.localPort && second.requestStartDate != nil)
  }
}
