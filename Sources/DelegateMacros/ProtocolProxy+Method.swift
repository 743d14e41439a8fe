public import Delegates
public import Streams

/// What gives the slot of a method by the method's name: every proxy that `@Proxied` generates, and one that is written by hand
/// if it likes.
public protocol NamedSlots: AnyObject {
  /// The slots of the methods called `name`, such as `table(_:didSelect:)`: several where only their types tell them apart.
  func slots(named name: String) -> [AnyProxySlot]
}

extension ProtocolProxy {
  /// The slot of a method of the protocol, for whoever does not want to know what it is called.
  ///
  /// ```swift
  /// try proxy.slot(for: #method((any DownloaderDelegate).downloader(_:shouldRetry:))).answer { _, attempt in attempt < 3 }
  /// ```
  ///
  /// Looks for it by name, which costs more than `proxy.shouldRetry`, once.
  public final func slot<Failure: Error, Output, each Argument>(
    for method: MethodName<Delegate, Failure, Output, repeat each Argument>
  ) -> ProxySlot<Failure, Output, repeat each Argument> {
    find(method.name, in: self)
  }

  /// The arguments of each call of the method: its slot's `stream`.
  public final func stream<Failure: Error, Output, each Argument>(
    _ method: MethodName<Delegate, Failure, Output, repeat each Argument>
  ) -> Stream<(repeat each Argument)> {
    calls(of: method, in: self)
  }

  /// A stream made of the calls of the method: `dispatch` gets the sending end and the arguments, pushes what it likes, and
  /// returns what the method returns.
  ///
  /// ```swift
  /// let retries = try proxy.stream(#method((any DownloaderDelegate).downloader(_:shouldRetry:))) { push, downloader, attempt in
  ///   push.next(attempt)
  ///   return attempt < 3
  /// }
  /// ```
  ///
  /// The closure answers as long as somebody holds the stream or observes it. Throws where the method has a handler.
  public final func stream<Failure: Error, Output, Element, each Argument>(
    _ method: MethodName<Delegate, Failure, Output, repeat each Argument>, isolation: (any Actor)? = #isolation,
    _ dispatch: @escaping (PushStream<Element>, repeat each Argument) throws(Failure) -> Output
  ) throws(SlotOccupied) -> Stream<Element> {
    let slot: ProxySlot<Failure, Output, repeat each Argument> = find(method.name, in: self)
    return try slot.stream(isolation: isolation, dispatch)
  }
}

// The same for references that name the proxy's class: `#method(DownloaderDelegateProxy.downloader(_:shouldRetry:))`.
extension NamedSlots {
  /// The slot of a method of the proxy.
  public func slot<Failure: Error, Output, each Argument>(
    for method: MethodName<Self, Failure, Output, repeat each Argument>
  ) -> ProxySlot<Failure, Output, repeat each Argument> {
    find(method.name, in: self)
  }

  /// The arguments of each call of the method: its slot's `stream`.
  public func stream<Failure: Error, Output, each Argument>(
    _ method: MethodName<Self, Failure, Output, repeat each Argument>
  ) -> Stream<(repeat each Argument)> {
    calls(of: method, in: self)
  }

  /// A stream made of the calls of the method.
  public func stream<Failure: Error, Output, Element, each Argument>(
    _ method: MethodName<Self, Failure, Output, repeat each Argument>, isolation: (any Actor)? = #isolation,
    _ dispatch: @escaping (PushStream<Element>, repeat each Argument) throws(Failure) -> Output
  ) throws(SlotOccupied) -> Stream<Element> {
    let slot: ProxySlot<Failure, Output, repeat each Argument> = find(method.name, in: self)
    return try slot.stream(isolation: isolation, dispatch)
  }
}

// References to a method of another protocol fit none of the above. Without these, the compiler fails without a message.
extension ProtocolProxy {
  /// Says that the method belongs to another protocol.
  @available(*, unavailable, message: "This method belongs to another protocol. Name a method of the proxy's own.")
  @_disfavoredOverload
  public final func slot<Owner, Failure: Error, Output, each Argument>(
    for method: MethodName<Owner, Failure, Output, repeat each Argument>
  ) -> ProxySlot<Failure, Output, repeat each Argument> {
    find(method.name, in: self)
  }

  /// Says that the method belongs to another protocol.
  @available(*, unavailable, message: "This method belongs to another protocol. Name a method of the proxy's own.")
  @_disfavoredOverload
  public final func stream<Owner, Failure: Error, Output, each Argument>(
    _ method: MethodName<Owner, Failure, Output, repeat each Argument>
  ) -> Stream<(repeat each Argument)> {
    calls(of: method, in: self)
  }

  /// Says that the method belongs to another protocol.
  @available(*, unavailable, message: "This method belongs to another protocol. Name a method of the proxy's own.")
  @_disfavoredOverload
  public final func stream<Owner, Failure: Error, Output, Element, each Argument>(
    _ method: MethodName<Owner, Failure, Output, repeat each Argument>, isolation: (any Actor)? = #isolation,
    _ dispatch: @escaping (PushStream<Element>, repeat each Argument) throws(Failure) -> Output
  ) throws(SlotOccupied) -> Stream<Element> {
    let slot: ProxySlot<Failure, Output, repeat each Argument> = find(method.name, in: self)
    return try slot.stream(isolation: isolation, dispatch)
  }
}

private func find<Failure: Error, Output, each Argument>(
  _ name: String, in proxy: AnyObject
) -> ProxySlot<Failure, Output, repeat each Argument> {
  for slot in slots(named: name, in: proxy) {
    if let slot = slot as? ProxySlot<Failure, Output, repeat each Argument> { return slot }
    if let slot = slot as? AsyncProxySlot<Failure, Output, repeat each Argument> {
      misuse(
        "\(name) is asynchronous: its slot is \(slot.name), which is found by its property, not by the method's name.")
    }
  }
  missing(name, in: proxy)
}

private func calls<Owner, Failure: Error, Output, each Argument>(
  of method: MethodName<Owner, Failure, Output, repeat each Argument>, in proxy: AnyObject
) -> Stream<(repeat each Argument)> {
  for slot in slots(named: method.name, in: proxy) {
    if let slot = slot as? ProxySlot<Failure, Output, repeat each Argument> { return calls(of: slot) }
    if let slot = slot as? AsyncProxySlot<Failure, Output, repeat each Argument> { return calls(of: slot) }
  }
  missing(method.name, in: proxy)
}

// The compiler does not see the members that a class with a pack inherits, except through a generic parameter.
private func calls<Slot: CalledSlot>(of slot: Slot) -> Stream<Slot.Arguments> { slot.didInvoke }

private func slots(named name: String, in proxy: AnyObject) -> [AnyProxySlot] {
  (proxy as? any NamedSlots)?.slots(named: name) ?? []
}

private func missing(_ name: String, in proxy: AnyObject) -> Never {
  misuse(
    """
    \(type(of: proxy)) finds no slot for \(name). A proxy that is written by hand names its slots by conforming to NamedSlots. \
    What is @Unproxied has no slot; one that stands in an #if is not found by its name: use the property.
    """)
}
