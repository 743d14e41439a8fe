extension Operation {
  /// Emits the elements of the stream that sends an event first. The other streams are then disposed.
  ///
  /// Observes the streams in order. If one sends immediately, the streams after it are not observed. Completes immediately if there
  /// is no stream. Pausing reaches all streams, or the one that has sent the first event.
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
          stream, next: { if state.wins(link) { state.exit.next($0) } else { Untaken.drop($0) } },
          termination: { if state.wins(link) { state.finish($0) } })
      }
      state.isStarting = false
      state.exit.checkVanished()
      return state.exit
    })
  }

  /// Emits the elements of the stream that sends an event first. The other streams are then disposed. The streams can have different
  /// types.
  @_disfavoredOverload
  public static func race(_ streams: [any StreamProtocol<Element, Failure>]) -> Operation {
    race(streams.map { $0.toOperation() })
  }
}

/// Emits the elements of the stream that sends an event first. The other streams are then disposed. The streams can have different
/// types.
///
/// Observes the streams in order. If one sends immediately, the streams after it are not observed. Completes immediately if there is no
/// stream. Pausing reaches all streams, or the one that has sent the first event.
@_disfavoredOverload
public func race<Element, Failure: Error>(
  _ streams: any StreamProtocol<Element, Failure>...
) -> Operation<Element, Failure> {
  race(streams)
}

/// Emits the elements of the stream that sends an event first. The other streams are then disposed. The streams can have different
/// types.
///
/// Observes the streams in order. If one sends immediately, the streams after it are not observed. Completes immediately if there is no
/// stream. Pausing reaches all streams, or the one that has sent the first event.
public func race<Element, Failure: Error>(
  _ streams: [any StreamProtocol<Element, Failure>]
) -> Operation<Element, Failure> {
  .race(streams.map { $0.toOperation() })
}

extension StreamProtocol {
  /// Emits the elements of this stream or of `other`: those of the stream that sends an event first. The other stream is then
  /// disposed.
  ///
  /// This stream is observed first. If it sends immediately, `other` is not observed. Pausing reaches both streams, or the
  /// one that has sent the first event.
  @inlinable
  public func amb<Other: StreamProtocol>(with other: Other) -> Operation<Element, Failure>
  where Other.Element == Element, Other.Failure == Failure {
    .race([toOperation(), other.toOperation()])
  }
}

/// The state of a race: all streams, then only the winner.
@usableFromInline
final class Race<Element, Failure: Error>: OperatorState {
  @usableFromInline let exit: SerializedSubscription<Element, Failure>
  @exclusivity(unchecked) @usableFromInline var links: [Subscription] = []
  // Retained by `links`.
  @exclusivity(unchecked) @usableFromInline var winner: Subscription?
  @exclusivity(unchecked) @usableFromInline var isPaused = false
  /// True until all streams are observed.
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

  /// Returns true for the stream that sent first.
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
    // Resuming can deliver, and a delivery can pause again.
    for link in links where !isPaused { link.resume() }
  }
}
