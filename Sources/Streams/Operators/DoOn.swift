extension StreamProtocol {
  /// Runs side effects as events pass; the events themselves pass unchanged.
  ///
  /// `start` runs before the source is observed; `next`, `completed` and `failed` before the event is passed on;
  /// `disposed` once: after the end has been passed on, on disposal, or when the source is deallocated without an end.
  @inlinable
  public func doOn(
    next: ((Element) -> Void)? = nil, start: (() -> Void)? = nil, completed: (() -> Void)? = nil,
    failed: ((Failure) -> Void)? = nil, disposed: (() -> Void)? = nil
  ) -> Operation<Element, Failure> {
    Operation(unguarded: { observer in
      start?()
      if observer.gate.isClosed { return NonDisposable() }
      let link = DoOnLink(downstream: observer.gate, disposed)
      let subscription = DoOnSubscription(link)
      link.connect(
        self,
        next: { element in
          if let next {
            next(element)
            if link.isClosed { return }
          }
          observer.onNext(element)
        },
        termination: { end in
          defer { subscription.dispose() }
          if observer.gate.isClosed { return }
          switch end {
          case .completed: completed?()
          case .failed(let error): failed?(error)
          }
          if observer.gate.isClosed { return }
          if failed != nil, case .failed = end {
            observer.gate.withFailureObserved { observer.onTermination(end) }
          } else {
            observer.onTermination(end)
          }
        })
      return subscription
    })
  }
}

extension StreamProtocol {
  /// Reports what happens to the stream through `Diagnostics`, under a name: start, each event, disposal.
  public func debug(_ label: String) -> Operation<Element, Failure> {
    doOn(
      next: { element in Diagnostics.report("\(label): next(\(element))") },
      start: { Diagnostics.report("\(label): start") },
      completed: { Diagnostics.report("\(label): completed") },
      failed: { error in Diagnostics.report("\(label): failed(\(error))") },
      disposed: { Diagnostics.report("\(label): disposed") })
  }
}

/// The upstream of a `doOn` and what it runs when it is over.
@usableFromInline
final class DoOnSubscription: Disposable {
  private let link: DoOnLink
  @usableFromInline private(set) var isDisposed = false

  @usableFromInline
  init(_ link: DoOnLink) { self.link = link }

  @usableFromInline
  func dispose() {
    if isDisposed { return }
    isDisposed = true
    link.dispose()
    link.disposed.take()?()
  }

  @usableFromInline func pause() { link.pause() }

  @usableFromInline func resume() { link.resume() }
}

/// The link of a `doOn`: a source that goes without an end ends what `disposed` belongs to.
@usableFromInline
final class DoOnLink: Link {
  fileprivate var disposed: (() -> Void)?

  @usableFromInline
  init(downstream: Gate, _ disposed: (() -> Void)?) {
    self.disposed = disposed
    super.init(downstream: downstream)
  }

  @usableFromInline
  override func sourceDidVanish() {
    super.sourceDidVanish()
    disposed.take()?()
  }
}
