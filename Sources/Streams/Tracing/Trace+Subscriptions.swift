#if Tracing
extension Trace {
  /// What a subscription knows about its recording.
  @usableFromInline
  struct Mark {
    /// 0 before it is recorded, and after its end.
    @usableFromInline var id: UInt32 = 0
    var place: String { line == 0 ? "\(file)" : "\(file):\(line)" }
    var file: StaticString = "unknown place"
    var line: UInt = 0

    @usableFromInline init() {}
  }

  /// Records that an observer was added.
  @usableFromInline @inline(never)
  static func began(_ subscription: Subscription) {
    if subscription.isOver { return }
    // Another recording may have begun since.
    if subscription.mark.id != 0, isOpen(subscription.mark.id) { return }
    let id = newID()
    subscription.mark.id = id
    if let downstream = subscription.downstream?.takeUnretainedValue() {
      // One that was observed before the recording.
      began(downstream)
      let parent = downstream.mark.id
      write(
        Line(
          "b", "subscription", "link", ["parent": .number(Int(parent))], id: id,
          subject: .begins(place: "", parent: parent)))
    } else {
      let place = subscription.mark.place
      write(
        Line(
          "b", "subscription", place, ["home": .number(Int(currentDomain()))], id: id,
          subject: .begins(place: place, parent: 0)))
    }
  }

  /// Records that an operator or a source is part of the chain of `subscription`.
  @usableFromInline @inline(never)
  static func chain(_ subscription: Subscription, _ name: StaticString) {
    if subscription.mark.id == 0 { return }
    write(
      Line("n", "chain", "\(name)", id: subscription.mark.id, subject: .chain("\(name)")))
  }

  @usableFromInline @inline(never)
  static func joined(_ subscription: Subscription, _ source: HotSource, _ element: Any.Type) {
    if subscription.mark.id == 0 { return }
    let name = name(of: source, element)
    write(
      Line(
        "n", "chain", name, ["hot": .number(Int(source.traceID))], id: subscription.mark.id, subject: .chain(name)))
  }

  private static func name(of source: HotSource, _ element: Any.Type) -> String {
    if source.traceID == 0 { source.traceID = newID() }
    return "hot \(element) #\(source.traceID)"
  }

  @usableFromInline @inline(never)
  static func ended<Failure>(_ subscription: Subscription, _ end: Termination<Failure>) {
    switch end {
    case .completed: ended(subscription, "completed")
    case .failed(let error): ended(subscription, "failed", error)
    }
  }

  @usableFromInline @inline(never)
  static func ended(_ subscription: Subscription, _ how: StaticString, _ error: (any Error)? = nil) {
    let id = subscription.mark.id
    if id == 0 { return }
    subscription.mark.id = 0
    let text = error.map { "\(how): \($0)" } ?? "\(how)"
    let name = subscription.downstream == nil ? subscription.mark.place : "link"
    write(Line("e", "subscription", name, ["how": .text(text)], id: id))
  }

  @usableFromInline @inline(never)
  static func changed(_ subscription: Subscription, isPaused: Bool) {
    // What is between is paused with its observer.
    if subscription.mark.id == 0 || subscription.downstream != nil { return }
    write(
      Line(
        "n", "state", isPaused ? "paused" : "resumed", id: subscription.mark.id, subject: isPaused ? .paused : .resumed)
    )
  }

  /// Begins the slice in which an observer takes an element.
  @usableFromInline @inline(never)
  static func deliver<Element>(_ element: Element, to subscription: Subscription) {
    began(subscription)
    let id = subscription.mark.id
    write(
      Line(
        "B", "element", subscription.mark.place, ["s": .number(Int(id)), "v": .text(text(element))],
        subject: .element(id)))
  }

  @usableFromInline @inline(never)
  static func sent<Element>(_ element: Element, by source: HotSource) {
    write(
      Line(
        "i", "source", name(of: source, Element.self), ["h": .number(Int(source.traceID)), "v": .text(text(element))]))
  }

  @usableFromInline @inline(never)
  static func passed<Element, Failure>(_ event: Event<Element, Failure>, lane: String, _ subscription: Subscription) {
    let id = Int(subscription.root.mark.id)
    switch event {
    case .next(let element): write(Line("i", "lane", lane, ["s": .number(id), "v": .text(text(element))]))
    case .completed: write(Line("i", "lane", lane, ["s": .number(id), "end": .text("completed")]))
    case .failed(let error): write(Line("i", "lane", lane, ["s": .number(id), "end": .text("failed: \(error)")]))
    }
  }
}

extension Subscription {
  /// The observer's subscription, at the end of the chain.
  var root: Subscription {
    var last = self
    while let next = last.downstream?.takeUnretainedValue() { last = next }
    return last
  }
}
#endif
