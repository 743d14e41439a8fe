/// A slot's entry that holds a closure.
@usableFromInline
final class CallbackBox<each Argument, Result>: AnyCallbackBox {
  // A struct around the closure, because the compiler cannot store a bare variadic function everywhere.
  @usableFromInline
  struct Body {
    @usableFromInline let call: (repeat each Argument) -> Result

    @inlinable
    init(_ call: @escaping (repeat each Argument) -> Result) { self.call = call }
  }

  // A constant, so that a call needs no retain, release, or exclusivity check.
  @usableFromInline let body: Body

  @inlinable
  init(
    _ threads: CallingThreads, isCounted: Bool = true, onEnd: (() -> Void)? = nil,
    _ body: @escaping (repeat each Argument) -> Result
  ) {
    self.body = Body(body)
    super.init(threads, isCounted: isCounted, onEnd: onEnd)
  }

  /// The types of the arguments and the result, for messages.
  @usableFromInline static var signature: String {
    var names: [String] = []
    repeat names.append(String(describing: (each Argument).self))
    return "(\(names.joined(separator: ", "))) -> \(Result.self)"
  }

  /// Finds the box and runs its closure. If it cannot be called now, counts a dropped call and returns `otherwise`.
  ///
  /// A call with `isLast` ends the callback before the closure runs, so that the closure finds it ended. The box stays alive
  /// for the call.
  @inlinable @inline(__always)
  static func call(
    _ context: UnsafeMutableRawPointer?, _ argument: repeat each Argument, isLast: Bool = false, otherwise: () -> Result
  ) -> Result {
    switch CallbackSlots.enter(ContextID(context)) {
    case .success(let entry):
      if isLast { CallbackSlots.giveBack(context) }
      defer { CallbackSlots.leave(entry) }
      #if Tracing
      let isTraced = Trace.isOn
      if isTraced { Trace.begin("callback", "C callback \(signature)") }
      defer { if isTraced { Trace.end() } }
      #endif
      return entry.box._withUnsafeGuaranteedRef { box in
        // Boxes have no subclasses, so this compares two addresses.
        if type(of: box) != CallbackBox.self { wrongType(box, signature) }
        return unsafeDowncast(box, to: CallbackBox.self).body.call(repeat each argument)
      }
    case .failure(let reason):
      DroppedCalls.add(reason, context, Self.self, signature)
      return otherwise()
    }
  }
}

/// Traps because the types that a C function names differ from those of its context.
@usableFromInline @inline(never)
func wrongType(_ box: AnyCallbackBox, _ expected: String) -> Never {
  fatalError(
    """
    A C closure names \(expected), but the context it was given is that of \(type(of: box)). Write the same types where \
    the callback is made and in the closure, and pass each function its own context.
    """)
}
