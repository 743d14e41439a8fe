import Streams

/// The part of a connection that has elements for one observer, which can pause.
protocol ReaderOwner: AnyObject {
  /// Delivers the pending elements, unless the reader is paused, and then the end.
  func deliver()
  /// The observer has been disposed.
  func stopReading()
}

/// The observer of a body or of messages. It is also the disposable of the observation.
final class Reader<Element>: Disposable {
  private let observer: Observer<Element, HTTPError>
  private var owner: (any ReaderOwner)?
  private(set) var isPaused: Bool

  init(_ owner: any ReaderOwner, _ observer: Observer<Element, HTTPError>) {
    self.owner = owner
    self.observer = observer
    isPaused = observer.isPaused
  }

  func next(_ element: Element) { observer.next(element) }

  func end(_ end: Termination<HTTPError>) {
    if owner.take() != nil { observer.terminate(end) }
  }

  var isDisposed: Bool { owner == nil }

  func dispose() { owner.take()?.stopReading() }

  func pause() { isPaused = true }

  func resume() {
    isPaused = false
    owner?.deliver()
  }
}
