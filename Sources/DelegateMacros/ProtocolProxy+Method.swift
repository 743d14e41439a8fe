public import Delegates
public import Streams

/// A proxy that finds the slot of a method by the method's name. Proxies that `@Proxied` generates conform; a proxy that you
/// write can.
public protocol NamedSlots: AnyObject {
  /// Returns the slots of the methods named `name`, such as `table(_:didSelect:)`. Several if the methods differ only in their
  /// types.
  func slots(named name: String) -> [AnyProxySlot]
}

extension ProtocolProxy {
  /// Returns the slot of a method of the protocol.
  ///
  /// ```swift
  /// try proxy.slot(for: #method((any DownloaderDelegate).downloader(_:shouldRetry:))).answer { _, attempt in attempt < 3 }
  /// ```
  ///
  /// - Complexity: A search by name, slower than `proxy.shouldRetry`.
  public final func slot<Failure: Error, Output, each Argument>(
    for method: MethodName<Delegate, Failure, Output, repeat each Argument>
  ) -> ProxySlot<Failure, Output, repeat each Argument> {
    find(method.name, in: self)
  }

  /// Returns the stream of the arguments of each call of the method.
  public final func stream<Failure: Error, Output, each Argument>(
    _ method: MethodName<Delegate, Failure, Output, repeat each Argument>
  ) -> Stream<(repeat each Argument)> {
    calls(of: method, in: self)
  }

  /// Answers the method with a closure that also sends to the returned stream.
  ///
  /// `dispatch` gets the subject to send to and the arguments, and returns the result of the method.
  ///
  /// ```swift
  /// let retries = try proxy.stream(#method((any DownloaderDelegate).downloader(_:shouldRetry:))) { push, downloader, attempt in
  ///   push.next(attempt)
  ///   return attempt < 3
  /// }
  /// ```
  ///
  /// The closure answers while the stream is retained or has observers. Throws if the method has a handler.
  public final func stream<Failure: Error, Output, Element, each Argument>(
    _ method: MethodName<Delegate, Failure, Output, repeat each Argument>, isolation: (any Actor)? = #isolation,
    _ dispatch: @escaping (PushStream<Element>, repeat each Argument) throws(Failure) -> Output
  ) throws(SlotOccupied) -> Stream<Element> {
    let slot: ProxySlot<Failure, Output, repeat each Argument> = find(method.name, in: self)
    return try slot.stream(isolation: isolation, dispatch)
  }
}

// For references that name the proxy's class: `#method(DownloaderDelegateProxy.downloader(_:shouldRetry:))`.
extension NamedSlots {
  /// Returns the slot of a method of the proxy.
  public func slot<Failure: Error, Output, each Argument>(
    for method: MethodName<Self, Failure, Output, repeat each Argument>
  ) -> ProxySlot<Failure, Output, repeat each Argument> {
    find(method.name, in: self)
  }

  /// Returns the stream of the arguments of each call of the method.
  public func stream<Failure: Error, Output, each Argument>(
    _ method: MethodName<Self, Failure, Output, repeat each Argument>
  ) -> Stream<(repeat each Argument)> {
    calls(of: method, in: self)
  }

  /// Answers the method with a closure that also sends to the returned stream. Throws if the method has a handler.
  public func stream<Failure: Error, Output, Element, each Argument>(
    _ method: MethodName<Self, Failure, Output, repeat each Argument>, isolation: (any Actor)? = #isolation,
    _ dispatch: @escaping (PushStream<Element>, repeat each Argument) throws(Failure) -> Output
  ) throws(SlotOccupied) -> Stream<Element> {
    let slot: ProxySlot<Failure, Output, repeat each Argument> = find(method.name, in: self)
    return try slot.stream(isolation: isolation, dispatch)
  }
}

// For references to a method of another protocol. Without these, the compiler fails without a message.
extension ProtocolProxy {
  /// Unavailable: the method belongs to another protocol.
  @available(*, unavailable, message: "This method belongs to another protocol. Name a method of the proxy's own.")
  @_disfavoredOverload
  public final func slot<Owner, Failure: Error, Output, each Argument>(
    for method: MethodName<Owner, Failure, Output, repeat each Argument>
  ) -> ProxySlot<Failure, Output, repeat each Argument> {
    find(method.name, in: self)
  }

  /// Unavailable: the method belongs to another protocol.
  @available(*, unavailable, message: "This method belongs to another protocol. Name a method of the proxy's own.")
  @_disfavoredOverload
  public final func stream<Owner, Failure: Error, Output, each Argument>(
    _ method: MethodName<Owner, Failure, Output, repeat each Argument>
  ) -> Stream<(repeat each Argument)> {
    calls(of: method, in: self)
  }

  /// Unavailable: the method belongs to another protocol.
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

// The compiler finds members that a class with a pack inherits only through a generic parameter.
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
