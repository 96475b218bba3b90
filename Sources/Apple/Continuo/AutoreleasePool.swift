/// Calls `body` and returns its result. Linux has no autorelease pools, so objects are released immediately.
public func autoreleasepool<Result, Failure: Error>(
  invoking body: () throws(Failure) -> Result
) throws(Failure) -> Result { try body() }
