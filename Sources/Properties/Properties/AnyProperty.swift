public import Streams

/// A read-only property: a view of a `Property`, a constant, or a property that is composed of others.
///
/// A view does not retain its source. After the source is deallocated, the view has the last value and has completed. Releasing a view does
/// not end the streams of its observers.
///
/// A view is confined to the domain of its source.
@frozen
public struct AnyProperty<Value>: PropertyProtocol {
  @usableFromInline let cell: ValueCell<Value>
  /// The subscription that feeds the cell of a composed property. The view and its observers retain it.
  @usableFromInline let composition: Composition?

  @usableFromInline
  init(_ cell: ValueCell<Value>, keeping composition: Composition?) {
    self.cell = cell
    self.composition = composition
  }

  /// Returns a property that never changes. An observer receives the value and the completion.
  public static func constant(_ value: Value) -> AnyProperty {
    AnyProperty(ValueCell(value, isEnded: true), keeping: nil)
  }

  /// Creates a property that begins with `initial` and then follows `stream`. Completes when the stream completes.
  ///
  /// The stream is observed immediately, until all copies of the property are deallocated and the last observer has left.
  @inlinable
  public init(initial: Value, then stream: some StreamProtocol<Value, Never>, isolation: (any Actor)? = #isolation) {
    let cell = ValueCell(initial)
    let bag = DisposeBag()
    let subscription = stream.observe(
      isolation: isolation, next: { cell.set($0) }, termination: { _ in cell.end() })
    bag.add(subscription, isolation: isolation)
    self.init(cell, keeping: Composition(bag: bag))
  }

  /// The current value.
  @inlinable
  public var value: Value { cell.checkedValue }

  /// This property.
  @inlinable
  public var readOnlyView: AnyProperty { self }

  /// Adds an observer, and returns its subscription.
  @inlinable
  public func subscribe(_ observer: Observer<Value, Never>) -> any Disposable {
    composition?.settle()
    return cell.subscribe(kept(observer))
  }

  @inlinable
  func makeChanges() -> Stream<Value> {
    let view = self
    return Stream.unguarded(name: "changes") {
      view.composition?.settle()
      return view.cell.enter(view.kept($0), isComposing: false)
    }
  }

  /// The source that gives composed properties their home.
  @inlinable
  var source: Composition.Source { Composition.Source(home: cell.push, composition: composition) }

  /// Observes the property for a composed one, without settling the home.
  @inlinable
  var composing: Stream<Value> {
    let view = self
    return Stream.unguarded(name: nil) { view.cell.subscribe(view.kept($0), isComposing: true) }
  }

  /// Observes the changes for a composed property that has used the value of `deliveries`. If that is not the current value, because the
  /// closure of the composed property has changed this property, it comes first.
  @inlinable
  func composingChanges(since deliveries: Int) -> Stream<Value> {
    if cell.deliveries != deliveries { return composing }
    let view = self
    return Stream.unguarded(name: nil) { view.cell.enter(view.kept($0), isComposing: true) }
  }

  /// Observes the cell. The observer retains the subscription that feeds the cell.
  @inlinable
  func kept(_ observer: Observer<Value, Never>) -> Observer<Value, Never> {
    composition.map { observer.keeping($0) } ?? observer
  }
}

extension Observer {
  /// Returns an observer that retains an object until its subscription ends.
  @inlinable
  func keeping(_ object: AnyObject) -> Observer {
    Observer(
      for: subscription,
      next: { element in withExtendedLifetime(object) { next(element) } }, termination: { terminate($0) })
  }
}

@available(*, unavailable)
extension AnyProperty: Sendable {}

/// The subscription that feeds a composed property. It ends in the home domain when the last view and the last observer
/// release it.
///
/// Ownership: view, observers of its cell ===> composition ===> subscription; source ===> the cell, not the composition.
@usableFromInline
final class Composition {
  /// One source of a composed property.
  @usableFromInline
  struct Source {
    let home: any Homed
    let composition: Composition?

    @usableFromInline
    init(home: any Homed, composition: Composition?) {
      self.home = home
      self.composition = composition
    }
  }

  private let subscription: any Disposable
  private let sources: [Source]
  private var isSettled = false

  @usableFromInline
  init(_ subscription: any Disposable, of sources: [Source]) {
    self.subscription = subscription
    self.sources = sources
  }

  /// The subscriptions, in a bag, which disposes its members in the home domain.
  @usableFromInline
  init(bag: DisposeBag) {
    subscription = bag
    sources = []
  }

  /// Determines the home of all sources, when the composed property is observed.
  @usableFromInline
  func settle() {
    if isSettled { return }
    isSettled = true
    for source in sources {
      source.home.settleHome()
      source.composition?.settle()
    }
  }

  deinit {
    // The bag sends its members home when it is deallocated here.
    if subscription is DisposeBag || subscription.isDisposed { return }
    let subscription = subscription
    if let source = sources.first(where: { $0.home.hasHome }) {
      source.home.performAtHome { subscription.dispose() }
    } else {
      subscription.dispose()
    }
  }
}
