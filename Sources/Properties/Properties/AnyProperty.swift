public import Streams

/// A property that can be read and observed, but not set: a view of a `Property`, a constant, or composed of others.
///
/// A view keeps nothing it looks at. When the property it stands for has gone it has the last value, and has completed.
/// Letting go of a view does not end what its observers see: they go on until the source does.
///
/// Confined, like what it looks at.
@frozen
public struct AnyProperty<Value>: PropertyProtocol {
  @usableFromInline let cell: ValueCell<Value>
  /// What feeds the cell, for a composed property. Kept by the view and by those who observe it.
  @usableFromInline let composition: Composition?

  @usableFromInline
  init(_ cell: ValueCell<Value>, keeping composition: Composition?) {
    self.cell = cell
    self.composition = composition
  }

  /// A property that never changes: whoever observes it gets the value and the completion.
  public static func constant(_ value: Value) -> AnyProperty {
    AnyProperty(ValueCell(value, isEnded: true), keeping: nil)
  }

  /// A property that begins with `initial` and then follows `stream`, which is observed at once, and until the last copy of
  /// the property and its last observer have gone. Completes when the stream does.
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

  /// The property itself.
  @inlinable
  public var readOnlyView: AnyProperty { self }

  /// See `StreamProtocol`.
  @inlinable
  public func subscribe(_ observer: Observer<Value, Never>) -> any Disposable {
    composition?.settle()
    return cell.subscribe(kept(observer))
  }

  @inlinable
  func makeChanges() -> Stream<Value> {
    let view = self
    return Stream.unguarded {
      view.composition?.settle()
      return view.cell.enter(view.kept($0), isComposing: false)
    }
  }

  /// Where what is composed of this property has its home.
  @inlinable
  var source: Composition.Source { Composition.Source(home: cell.push, composition: composition) }

  /// For what is composed of this property: observing them does not settle the home.
  @inlinable
  var composing: Stream<Value> {
    let view = self
    return Stream.unguarded { view.cell.subscribe(view.kept($0), isComposing: true) }
  }

  /// The changes alone, for what is composed of this property.
  @inlinable
  var composingChanges: Stream<Value> {
    let view = self
    return Stream.unguarded { view.cell.enter(view.kept($0), isComposing: true) }
  }

  /// An observer keeps what feeds the cell, for as long as it observes.
  @inlinable
  func kept(_ observer: Observer<Value, Never>) -> Observer<Value, Never> {
    composition.map { observer.keeping($0) } ?? observer
  }
}

extension Observer {
  /// The same observer, which keeps something until its subscription ends.
  @inlinable
  func keeping(_ object: AnyObject) -> Observer {
    Observer(
      for: subscription,
      next: { element in withExtendedLifetime(object) { next(element) } }, termination: { terminate($0) })
  }
}

@available(*, unavailable)
extension AnyProperty: Sendable {}

/// The subscription that feeds a composed property. It ends with the last one who keeps it, at home.
///
/// Ownership: view, observers of its cell ===> composition ===> subscription; source ===> the cell, not the composition.
@usableFromInline
final class Composition {
  /// One of the properties that something is composed of.
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

  /// A bag finds home by itself.
  @usableFromInline
  init(bag: DisposeBag) {
    subscription = bag
    sources = []
  }

  /// The composed property is being observed: where that happens is the home of all that it is made of.
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
    // A bag sends home what is in it when it goes, here.
    if subscription is DisposeBag || subscription.isDisposed { return }
    let subscription = subscription
    if let source = sources.first(where: { $0.home.hasHome }) {
      source.home.performAtHome { subscription.dispose() }
    } else {
      subscription.dispose()
    }
  }
}
