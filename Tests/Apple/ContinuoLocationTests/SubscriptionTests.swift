import Clocks
import Testing

@testable import ContinuoLocation

/// What a manager is given of the source's places.
@Suite("Subscriptions")
struct SubscriptionTests {
  /// Places along a meridian, so many metres from the equator.
  private func place(_ meters: Double, time: Double = 0) -> Place {
    Place(latitude: meters / 110_574.39, longitude: 0, horizontalAccuracy: 5, speed: 3, time: time)
  }

  private func taken(_ subscription: inout Subscription, _ meters: [Double]) -> [Double] {
    meters.filter { subscription.take(place($0), at: HostTime(nanoseconds: 0)) != nil }
  }

  @Test("distanceFilter: from the place before that was reported, not from the one before")
  func distanceFilter() {
    var subscription = Subscription()
    #expect(taken(&subscription, [0, 1]) == [])
    subscription.startUpdating(inFront: true)
    #expect(taken(&subscription, [0, 1, 1]) == [0, 1, 1])
    subscription.distanceFilter = 10
    #expect(taken(&subscription, [4, 8, 10.9, 11.1, 15, 21, 21.2, 5]) == [11.1, 21.2, 5])
    for filter in [-1, 0, Double.nan, -Double.infinity] {
      subscription.distanceFilter = filter
      #expect(taken(&subscription, [5, 5]) == [5, 5])
    }
    subscription.distanceFilter = .infinity
    #expect(taken(&subscription, [5, 1e6]) == [])
    subscription.stopUpdating()
    subscription.startUpdating(inFront: true)
    #expect(taken(&subscription, [5, 1e6]) == [5])
  }

  @Test("A place that answers a request counts for the distance, too")
  func requestAndDistance() {
    var subscription = Subscription()
    subscription.startUpdating(inFront: true)
    subscription.distanceFilter = 10
    subscription.requestDeadline = HostTime(nanoseconds: 1)
    #expect(taken(&subscription, [0, 5, 11]) == [0, 11])
  }

  @Test("desiredAccuracy: less accuracy, fewer updates")
  func desiredAccuracy() {
    let way = (0...3000).map(Double.init)
    var counts: [Int] = []
    for accuracy in [
      kCLLocationAccuracyBestForNavigation, kCLLocationAccuracyBest, kCLLocationAccuracyNearestTenMeters,
      kCLLocationAccuracyHundredMeters, kCLLocationAccuracyKilometer, kCLLocationAccuracyThreeKilometers,
    ] {
      var subscription = Subscription()
      subscription.desiredAccuracy = accuracy
      subscription.startUpdating(inFront: true)
      counts.append(taken(&subscription, way).count)
    }
    #expect(counts == [3001, 3001, 300, 30, 3, 1] || counts == [3001, 3001, 301, 31, 4, 2], "\(counts)")
  }

  @Test("distanceFilter counts at low accuracy too")
  func distanceAtLowAccuracy() {
    var subscription = Subscription()
    subscription.desiredAccuracy = kCLLocationAccuracyHundredMeters
    subscription.distanceFilter = 1000
    subscription.startUpdating(inFront: true)
    #expect([3, 4].contains(taken(&subscription, (0...3000).map(Double.init)).count))
  }

  @Test("Significant changes: 500 m, and five minutes")
  func significant() {
    var subscription = Subscription()
    subscription.startMonitoring()
    func take(_ meters: Double, _ seconds: Double) -> Bool {
      let now = HostTime(nanoseconds: 0).advanced(bySeconds: seconds)
      return subscription.take(place(meters), at: now) != nil
    }
    #expect(take(0, 0) && !take(1000, 299) && !take(499, 300) && take(501, 301) && !take(1500, 500))
    #expect(!subscription.wouldWake(place(1500), at: HostTime(nanoseconds: 600_000_000_000)))
    #expect(subscription.wouldWake(place(1500), at: HostTime(nanoseconds: 601_000_000_000)))
  }

  @Test("A request takes one place")
  func request() {
    var subscription = Subscription()
    subscription.requestDeadline = HostTime(nanoseconds: 5)
    #expect(taken(&subscription, [1, 2]) == [1])
    #expect(!subscription.isActive)
  }
}
