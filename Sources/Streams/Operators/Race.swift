extension Operation {
  /// The stream of `streams` that sends anything first, an element or its end; the others are disposed of then.
  ///
  /// They are observed in order; one that sends at once keeps those behind it from being observed. Completes at once
  /// where there is no stream. Pausing reaches all, or the winner.
  @inlinable
  public static func race(_ streams: [Operation]) -> Operation {
    Operation(unguarded: { observer in
      if streams.isEmpty {
        observer.completed()
        return .none
      }
      let state = Race(observer)
      for stream in streams {
        if state.winner != nil || state.exit.isDisposed { break }
        let link = state.addLink()
        link.connect(
          stream, next: { if state.wins(link) { state.exit.next($0) } },
          termination: { if state.wins(link) { state.finish($0) } })
      }
      state.isStarting = false
      state.exit.checkVanished()
      return state.exit
    })
  }

  /// The stream of `streams`, of whatever types they are, that sends anything first; the others are disposed then.
  @_disfavoredOverload
  public static func race(_ streams: [any StreamProtocol<Element, Failure>]) -> Operation {
    race(streams.map { $0.toOperation() })
  }
}

/// The stream of `streams` that sends anything first, of whatever types they are; the others are disposed then.
///
/// They are observed in order; one that sends at once keeps those behind it from being observed. Completes at once if there
/// is no stream. Pausing reaches all, or the winner.
@_disfavoredOverload
public func race<Element, Failure: Error>(
  _ streams: any StreamProtocol<Element, Failure>...
) -> Operation<Element, Failure> {
  race(streams)
}

/// The stream of `streams` that sends anything first, of whatever types they are; the others are disposed then.
///
/// They are observed in order; one that sends at once keeps those behind it from being observed. Completes at once if there
/// is no stream. Pausing reaches all, or the winner.
public func race<Element, Failure: Error>(
  _ streams: [any StreamProtocol<Element, Failure>]
) -> Operation<Element, Failure> {
  .race(streams.map { $0.toOperation() })
}

extension StreamProtocol {
  /// This stream or `other`, whichever sends anything first, an element or its end; the other one is disposed of then.
  ///
  /// This one is observed first; where it sends at once, `other` is not observed. Pausing reaches both, or the winner.
  @inlinable
  public func amb<Other: StreamProtocol>(with other: Other) -> Operation<Element, Failure>
  where Other.Element == Element, Other.Failure == Failure {
    .race([toOperation(), other.toOperation()])
  }
}

/// The streams of a race, then the winner alone.
@usableFromInline
final class Race<Element, Failure: Error>: OperatorState {
  @usableFromInline let exit: SerializedSubscription<Element, Failure>
  @exclusivity(unchecked) @usableFromInline var links: [Subscription] = []
  // Held by `links`.
  @exclusivity(unchecked) @usableFromInline var winner: Subscription?
  @exclusivity(unchecked) @usableFromInline var isPaused = false
  /// Not all streams have been observed yet.
  @exclusivity(unchecked) @usableFromInline var isStarting = true

  @inlinable
  init(_ observer: Observer<Element, Failure>) {
    exit = SerializedSubscription(observer)
    exit.attach(self)
  }

  @usableFromInline
  var isOver: Bool { !isStarting && links.allSatisfy { $0.isOver } }

  @usableFromInline
  func addLink() -> Subscription {
    let link = Subscription(downstream: exit)
    if isPaused { link.pause() }
    links.append(link)
    return link
  }

  /// True for the one that has sent first.
  @inlinable
  func wins(_ link: Subscription) -> Bool { winner === link || decide(for: link) }

  @usableFromInline
  func decide(for link: Subscription) -> Bool {
    if winner != nil || exit.isDisposed { return false }
    winner = link
    let losers = links
    links = [link]
    for loser in losers where loser !== link { loser.dispose() }
    return !exit.isDisposed
  }

  @usableFromInline
  func dispose() {
    let all = links
    links = []
    winner = nil
    for link in all { link.dispose() }
  }

  @usableFromInline
  func pause() {
    isPaused = true
    for link in links { link.pause() }
  }

  @usableFromInline
  func resume() {
    isPaused = false
    // Resuming may deliver, and a delivery may pause again.
    for link in links where !isPaused { link.resume() }
  }
}
