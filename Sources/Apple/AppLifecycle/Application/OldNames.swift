public import Foundation

// Apple's older names of values in this module, used in older documents and programs.

/// The identifier of a refused task: `UIBackgroundTaskIdentifier.invalid`.
public let UIBackgroundTaskInvalid = UIBackgroundTaskIdentifier.invalid

/// The interval, in seconds, that requests fetches as often as the system allows.
public let UIApplicationBackgroundFetchIntervalMinimum = UIApplication.backgroundFetchIntervalMinimum
/// The interval, in seconds, that disables fetches.
public let UIApplicationBackgroundFetchIntervalNever = UIApplication.backgroundFetchIntervalNever

/// Posted after the application has launched.
public let UIApplicationDidFinishLaunchingNotification = UIApplication.didFinishLaunchingNotification
/// Posted when the application is in the foreground and receives input.
public let UIApplicationDidBecomeActiveNotification = UIApplication.didBecomeActiveNotification
/// Posted when the application is about to be interrupted or to leave the foreground.
public let UIApplicationWillResignActiveNotification = UIApplication.willResignActiveNotification
/// Posted when the application has entered the background.
public let UIApplicationDidEnterBackgroundNotification = UIApplication.didEnterBackgroundNotification
/// Posted when the application is about to enter the foreground.
public let UIApplicationWillEnterForegroundNotification = UIApplication.willEnterForegroundNotification
/// Posted before a termination, except for a fault or during suspension.
public let UIApplicationWillTerminateNotification = UIApplication.willTerminateNotification
