public import Streams

// Composed properties. The value is computed once for each change of the sources, also without observers. A composed property retains no
// source, and completes when its sources have completed. It takes a subscription to each source, and a closure call for each change.

extension AnyProperty {
  /// Creates a property that follows `changes`, which are computed from the properties `sources`.
  @inlinable
  init(composing changes: Stream<Value>, from initial: Value, of sources: [Composition.Source]) {
    let cell = ValueCell(initial)
    let subscription = HomeThread.composing {
      changes.observe(
        isolation: nil, file: "a composed property", line: 0, next: { cell.set($0) }, termination: { _ in cell.end() })
    }
    self.init(cell, keeping: Composition(subscription, of: sources))
  }
}

extension PropertyProtocol {
  /// Returns a property with the transformed value. `transform` is called once for each change.
  @inlinable
  public func map<NewValue>(_ transform: @escaping (Value) -> NewValue) -> AnyProperty<NewValue> {
    let source = readOnlyView
    let deliveries = source.cell.deliveries
    let initial = transform(source.cell.current)
    return AnyProperty<NewValue>(
      composing: source.composingChanges(since: deliveries).map(transform), from: initial, of: [source.source])
  }

  /// Returns a property with the values for which `isIncluded` returns true, and with `initial` before the first one.
  @inlinable
  public func filter(initial: Value, _ isIncluded: @escaping (Value) -> Bool) -> AnyProperty<Value> {
    let source = readOnlyView
    let deliveries = source.cell.deliveries
    let now = source.cell.current
    let first = isIncluded(now) ? now : initial
    return AnyProperty(
      composing: source.composingChanges(since: deliveries).filter(isIncluded), from: first, of: [source.source])
  }

  /// Returns a property that changes to the values for which `areDistinct` returns true with the previous one.
  @inlinable
  public func distinct(_ areDistinct: @escaping (Value, Value) -> Bool) -> AnyProperty<Value> {
    let source = readOnlyView
    return AnyProperty(
      composing: source.composing.distinct(areDistinct).skip(1), from: source.cell.current, of: [source.source])
  }

  /// Returns a property with the values of both properties. It changes each time one of them changes.
  ///
  /// If both properties depend on a third one, a change of the third property gives two values, the first of them with one new
  /// and one old value.
  @inlinable
  public func combineLatest<Other: PropertyProtocol>(with other: Other) -> AnyProperty<(Value, Other.Value)> {
    let (one, two) = (readOnlyView, other.readOnlyView)
    return AnyProperty<(Value, Other.Value)>(
      composing: one.composing.combineLatest(with: two.composing).skip(1), from: (one.cell.current, two.cell.current),
      of: [one.source, two.source])
  }

  /// Returns a property with pairs of the values of both properties: the first value of both, the second of both, and so on. The values of a
  /// property that is ahead are held.
  @inlinable
  public func zip<Other: PropertyProtocol>(with other: Other) -> AnyProperty<(Value, Other.Value)> {
    let (one, two) = (readOnlyView, other.readOnlyView)
    return AnyProperty<(Value, Other.Value)>(
      composing: one.composing.zip(with: two.composing).skip(1), from: (one.cell.current, two.cell.current),
      of: [one.source, two.source])
  }

  /// Returns a property with the value of the property that `transform` returns for this value. `.latest` follows the latest such property;
  /// the other strategies work as for streams.
  @inlinable
  public func flatMap<Inner: PropertyProtocol>(
    _ strategy: FlattenStrategy, _ transform: @escaping (Value) -> Inner
  ) -> AnyProperty<Inner.Value> {
    followed(strategy, transform)
  }

  /// Returns a property with the value of the property that `transform` returns for this value. The closure can use a leading dot:
  /// `{ _ in .constant(0) }`.
  @inlinable
  public func flatMap<NewValue>(
    _ strategy: FlattenStrategy, _ transform: @escaping (Value) -> AnyProperty<NewValue>
  ) -> AnyProperty<NewValue> {
    followed(strategy, transform)
  }

  @inlinable
  func followed<Inner: PropertyProtocol>(
    _ strategy: FlattenStrategy, _ transform: @escaping (Value) -> Inner
  ) -> AnyProperty<Inner.Value> {
    let source = readOnlyView
    let deliveries = source.cell.deliveries
    let now = source.cell.current
    let first = transform(now).readOnlyView
    var made: AnyProperty<Inner.Value>? = first
    // If `transform` has changed this property, the value that it had before is not the current one.
    let values = source.cell.deliveries == deliveries ? source.composing : source.composing.start(with: now)
    let inner = values.flatMap(strategy) { value -> Stream<Inner.Value> in
      if let first = made.take() { return first.composing }
      let next = transform(value).readOnlyView
      return source.cell.push.hasHome ? next.toStream() : next.composing
    }
    return AnyProperty<Inner.Value>(
      composing: inner.skip(1), from: first.cell.current, of: [source.source, first.source])
  }
}

extension PropertyProtocol where Value: Equatable {
  /// Returns a property that changes only to values that differ from the previous one.
  @inlinable
  public func distinct() -> AnyProperty<Value> { distinct { $0 != $1 } }
}

extension PropertyProtocol where Value: PropertyProtocol {
  /// Returns a property with the value of the latest property that this property has as its value.
  @inlinable
  public func flatten(_ strategy: FlattenStrategy) -> AnyProperty<Value.Value> { flatMap(strategy) { $0 } }
}

extension PropertyProtocol where Value == Bool {
  /// Returns a property that is true while this property is false.
  @inlinable
  public func negate() -> AnyProperty<Bool> { map { !$0 } }

  /// Returns a property that is true while both properties are true.
  @inlinable
  public func and(_ other: some PropertyProtocol<Bool>) -> AnyProperty<Bool> {
    combineLatest(with: other).map { $0 && $1 }
  }

  /// Returns a property that is true while at least one of both properties is true.
  @inlinable
  public func or(_ other: some PropertyProtocol<Bool>) -> AnyProperty<Bool> {
    combineLatest(with: other).map { $0 || $1 }
  }
}
