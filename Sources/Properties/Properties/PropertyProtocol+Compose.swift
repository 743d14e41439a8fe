public import Streams

// Composed properties. Each has its value computed once for each change of its sources, whether or not somebody observes
// it, and keeps no property. It completes when its sources have. Each costs a subscription to its sources, and for each of
// their changes a closure call and what it computes.

extension AnyProperty {
  /// A property that follows `changes`, which are made of the properties `sources`.
  @inlinable
  init(composing changes: Stream<Value>, from initial: Value, of sources: [Composition.Source]) {
    let cell = ValueCell(initial)
    let subscription = HomeThread.composing {
      changes.observe(isolation: nil, next: { cell.set($0) }, termination: { _ in cell.end() })
    }
    self.init(cell, keeping: Composition(subscription, of: sources))
  }
}

extension PropertyProtocol {
  /// A property whose value is `transform` of this one's, computed once a change.
  @inlinable
  public func map<NewValue>(_ transform: @escaping (Value) -> NewValue) -> AnyProperty<NewValue> {
    let source = readOnlyView
    return AnyProperty<NewValue>(
      composing: source.composingChanges.map(transform), from: transform(source.cell.current), of: [source.source])
  }

  /// A property that takes on those values of this one for which `isIncluded` is true; `initial` until there is one.
  @inlinable
  public func filter(initial: Value, _ isIncluded: @escaping (Value) -> Bool) -> AnyProperty<Value> {
    let source = readOnlyView
    let now = source.cell.current
    return AnyProperty(
      composing: source.composingChanges.filter(isIncluded), from: isIncluded(now) ? now : initial,
      of: [source.source])
  }

  /// A property that takes on those values of this one that `areDistinct` says differ from the one before.
  @inlinable
  public func distinct(_ areDistinct: @escaping (Value, Value) -> Bool) -> AnyProperty<Value> {
    let source = readOnlyView
    return AnyProperty(
      composing: source.composing.distinct(areDistinct).skip(1), from: source.cell.current, of: [source.source])
  }

  /// The values of both properties, each time one of them changes. Where both follow one property a change of that gives two
  /// values, the first of them with the new value of one and the old one of the other.
  @inlinable
  public func combineLatest<Other: PropertyProtocol>(with other: Other) -> AnyProperty<(Value, Other.Value)> {
    let (one, two) = (readOnlyView, other.readOnlyView)
    return AnyProperty<(Value, Other.Value)>(
      composing: one.composing.combineLatest(with: two.composing).skip(1), from: (one.cell.current, two.cell.current),
      of: [one.source, two.source])
  }

  /// The values of both properties in pairs: the first of both, the second of both, and so on. Values of one that is ahead
  /// wait for the other: memory for each.
  @inlinable
  public func zip<Other: PropertyProtocol>(with other: Other) -> AnyProperty<(Value, Other.Value)> {
    let (one, two) = (readOnlyView, other.readOnlyView)
    return AnyProperty<(Value, Other.Value)>(
      composing: one.composing.zip(with: two.composing).skip(1), from: (one.cell.current, two.cell.current),
      of: [one.source, two.source])
  }

  /// The value of the property that `transform` makes of this one's value. `.latest` follows the newest such property,
  /// other strategies do what they do with streams.
  @inlinable
  public func flatMap<Inner: PropertyProtocol>(
    _ strategy: FlattenStrategy, _ transform: @escaping (Value) -> Inner
  ) -> AnyProperty<Inner.Value> {
    followed(strategy, transform)
  }

  /// The value of the property that `transform` makes of this one's value: the closure may use a leading dot,
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
    let first = transform(source.cell.current).readOnlyView
    var made: AnyProperty<Inner.Value>? = first
    let inner = source.composing.flatMap(strategy) { value -> Stream<Inner.Value> in
      if let first = made.take() { return first.composing }
      let next = transform(value).readOnlyView
      return source.cell.push.hasHome ? next.toStream() : next.composing
    }
    return AnyProperty<Inner.Value>(
      composing: inner.skip(1), from: first.cell.current, of: [source.source, first.source])
  }
}

extension PropertyProtocol where Value: Equatable {
  /// A property that changes only where the value does.
  @inlinable
  public func distinct() -> AnyProperty<Value> { distinct { $0 != $1 } }
}

extension PropertyProtocol where Value: PropertyProtocol {
  /// The value of the property that this property holds.
  @inlinable
  public func flatten(_ strategy: FlattenStrategy) -> AnyProperty<Value.Value> { flatMap(strategy) { $0 } }
}

extension PropertyProtocol where Value == Bool {
  /// True while this property is false.
  @inlinable
  public func negate() -> AnyProperty<Bool> { map { !$0 } }

  /// True while both are.
  @inlinable
  public func and(_ other: some PropertyProtocol<Bool>) -> AnyProperty<Bool> {
    combineLatest(with: other).map { $0 && $1 }
  }

  /// True while one of both is.
  @inlinable
  public func or(_ other: some PropertyProtocol<Bool>) -> AnyProperty<Bool> {
    combineLatest(with: other).map { $0 || $1 }
  }
}
