extension StreamProtocol {
  /// Shares one run of the stream among all its observers. The first observer starts the run, and the run ends when the last
  /// observer leaves.
  ///
  /// Observers receive elements that are sent while they observe. After the end, and after the last observer has left, the next observer
  /// starts a new run. An element that is sent during a delivery is delivered after it, to all observers in order.
  ///
  /// The source is paused while all observers are paused.
  @inlinable
  public func share() -> Operation<Element, Failure> {
    ConnectableOperation(toOperation(), limit: 0, forgetsCompletions: true).counted(name: #function)
  }
}
