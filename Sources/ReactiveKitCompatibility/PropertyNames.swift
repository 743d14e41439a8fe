public import Properties
public import Streams

// Types and members with their names in ReactiveKit 2 and ReactiveSwift. The attribute of each names its replacement.

/// The former name of `Property`.
@available(*, deprecated, renamed: "Property")
public typealias MutableProperty = Property

/// The former name of `AnyProperty`.
@available(*, deprecated, renamed: "AnyProperty")
public typealias PropertyOf = AnyProperty

extension Property {
  /// The former name of `silentUpdate(_:)`.
  @available(*, deprecated, renamed: "silentUpdate(_:)")
  public func setSilently(_ value: Value) { silentUpdate(value) }
}

extension StreamProtocol where Failure == Never {
  /// The former name of `bind(to:)`.
  @available(*, deprecated, renamed: "bind(to:)")
  @discardableResult
  public func bindTo<Target: BindingTargetProvider>(
    _ target: Target, isolation: (any Actor)? = #isolation, file: StaticString = #fileID, line: UInt = #line
  ) -> any Disposable where Target.Value == Element {
    bind(to: target, isolation: isolation, file: file, line: line)
  }

  /// The former name of `bind(to:)`.
  @available(*, deprecated, renamed: "bind(to:)")
  @discardableResult
  public func bindTo<Target: BindingTargetProvider>(
    _ target: Target, isolation: (any Actor)? = #isolation, file: StaticString = #fileID, line: UInt = #line
  ) -> any Disposable where Target.Value == Element? {
    bind(to: target, isolation: isolation, file: file, line: line)
  }
}

extension MutablePropertyProtocol {
  /// The former name of `bidirectionalBind(to:)`.
  @available(*, deprecated, renamed: "bidirectionalBind(to:)")
  @discardableResult
  public func bidirectionalBindTo<Other: MutablePropertyProtocol>(
    _ other: Other, isolation: (any Actor)? = #isolation, file: StaticString = #fileID, line: UInt = #line
  ) -> any Disposable where Other.Value == Value {
    bidirectionalBind(to: other, isolation: isolation, file: file, line: line)
  }
}

extension CollectionProperty {
  /// The former name of `append(contentsOf:)`.
  @available(*, deprecated, renamed: "append(contentsOf:)")
  public func appendContentsOf<Element>(_ elements: some Sequence<Element>) where Items == [Element] {
    append(contentsOf: elements)
  }

  /// The former name of `insert(_:at:)`.
  @available(*, deprecated, renamed: "insert(_:at:)")
  public func insert<Element>(_ element: Element, atIndex index: Int) where Items == [Element] {
    insert(element, at: index)
  }

  /// The former name of `insert(contentsOf:at:)`.
  @available(*, deprecated, renamed: "insert(contentsOf:at:)")
  public func insertContentsOf<Element>(_ elements: some Collection<Element>, at index: Int) where Items == [Element] {
    insert(contentsOf: elements, at: index)
  }

  /// The former name of `remove(at:)`.
  @available(*, deprecated, renamed: "remove(at:)")
  @discardableResult
  public func removeAtIndex<Element>(_ index: Int) -> Element where Items == [Element] { remove(at: index) }

  /// The former name of `move(from:to:)`.
  @available(*, deprecated, renamed: "move(from:to:)")
  public func moveItemAtIndex<Element>(_ source: Int, toIndex target: Int) where Items == [Element] {
    move(from: source, to: target)
  }

  /// The former name of `replaceSubrange(_:with:)`.
  @available(*, deprecated, renamed: "replaceSubrange(_:with:)")
  public func replace<Element>(_ range: Range<Int>, with elements: some Collection<Element>) where Items == [Element] {
    replaceSubrange(range, with: elements)
  }

  /// The former name of `removeValue(forKey:)`.
  @available(*, deprecated, renamed: "removeValue(forKey:)")
  @discardableResult
  public func removeValueForKey<Key, Value>(_ key: Key) -> Value? where Items == [Key: Value] {
    removeValue(forKey: key)
  }

  /// The former name of `index(forKey:)`.
  @available(*, deprecated, renamed: "index(forKey:)")
  public func indexForKey<Key, Value>(_ key: Key) -> Dictionary<Key, Value>.Index? where Items == [Key: Value] {
    index(forKey: key)
  }

  /// The former name of `index(of:)`.
  @available(*, deprecated, renamed: "index(of:)")
  public func indexOf<Member>(_ member: Member) -> Set<Member>.Index? where Items == Set<Member> { index(of: member) }
}

extension CollectionPropertyProtocol where Items: PositionedList {
  /// The former name of `sorted(by:)`.
  @available(*, deprecated, renamed: "sorted(by:)")
  public func sort(
    _ areInIncreasingOrder: @escaping (Items.Element, Items.Element) -> Bool
  ) -> AnyCollectionProperty<[Items.Element]> { sorted(by: areInIncreasingOrder) }
}
