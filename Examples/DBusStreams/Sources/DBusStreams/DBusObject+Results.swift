public import Streams

// One to four results or arguments have functions of their own: the compiler finds no members of a tuple that is a parameter
// pack, for example in `.map { $0.0 }`.
extension DBusObject {
  /// Calls a method for each observer, and emits its result.
  ///
  /// Nothing is sent before it is observed. Disposing drops the answer. A program that is not running is started if the bus
  /// knows how.
  public func call<each Argument: DBusConvertible, Result: DBusConvertible>(
    _ member: String, _ arguments: repeat each Argument, as result: Result.Type
  ) -> Operation<Result, DBusError> {
    call(interface, member, encode(repeat each arguments)) { values throws(DBusError) in
      try decode(values, as: Result.self)
    }
  }

  /// Calls a method for each observer, and emits its two results.
  ///
  /// Nothing is sent before it is observed. Disposing drops the answer. A program that is not running is started if the bus
  /// knows how.
  public func call<each Argument: DBusConvertible, A: DBusConvertible, B: DBusConvertible>(
    _ member: String, _ arguments: repeat each Argument, as results: (A, B).Type
  ) -> Operation<(A, B), DBusError> {
    call(interface, member, encode(repeat each arguments)) { values throws(DBusError) in
      try decode(values, as: (A, B).self)
    }
  }

  /// Calls a method for each observer, and emits its three results.
  ///
  /// Nothing is sent before it is observed. Disposing drops the answer. A program that is not running is started if the bus
  /// knows how.
  public func call<each Argument: DBusConvertible, A: DBusConvertible, B: DBusConvertible, C: DBusConvertible>(
    _ member: String, _ arguments: repeat each Argument, as results: (A, B, C).Type
  ) -> Operation<(A, B, C), DBusError> {
    call(interface, member, encode(repeat each arguments)) { values throws(DBusError) in
      try decode(values, as: (A, B, C).self)
    }
  }

  /// Calls a method for each observer, and emits its four results.
  ///
  /// Nothing is sent before it is observed. Disposing drops the answer. A program that is not running is started if the bus
  /// knows how.
  public func call<
    each Argument: DBusConvertible, A: DBusConvertible, B: DBusConvertible, C: DBusConvertible, D: DBusConvertible
  >(
    _ member: String, _ arguments: repeat each Argument, as results: (A, B, C, D).Type
  ) -> Operation<(A, B, C, D), DBusError> {
    call(interface, member, encode(repeat each arguments)) { values throws(DBusError) in
      try decode(values, as: (A, B, C, D).self)
    }
  }

  /// The argument of a signal, each time that the object sends it.
  ///
  /// If another program owns the name later, its signals follow. Signals of other programs are dropped.
  public func signal<Argument: DBusConvertible>(
    _ member: String, as argument: Argument.Type
  ) -> Operation<Argument, DBusError> {
    signal(member) { message throws(DBusError) in try decode(message.values, as: Argument.self) }
  }

  /// The two arguments of a signal, each time that the object sends it.
  ///
  /// If another program owns the name later, its signals follow. Signals of other programs are dropped.
  public func signal<A: DBusConvertible, B: DBusConvertible>(
    _ member: String, as arguments: (A, B).Type
  ) -> Operation<(A, B), DBusError> {
    signal(member) { message throws(DBusError) in try decode(message.values, as: (A, B).self) }
  }

  /// The three arguments of a signal, each time that the object sends it.
  ///
  /// If another program owns the name later, its signals follow. Signals of other programs are dropped.
  public func signal<A: DBusConvertible, B: DBusConvertible, C: DBusConvertible>(
    _ member: String, as arguments: (A, B, C).Type
  ) -> Operation<(A, B, C), DBusError> {
    signal(member) { message throws(DBusError) in try decode(message.values, as: (A, B, C).self) }
  }

  /// The four arguments of a signal, each time that the object sends it.
  ///
  /// If another program owns the name later, its signals follow. Signals of other programs are dropped.
  public func signal<A: DBusConvertible, B: DBusConvertible, C: DBusConvertible, D: DBusConvertible>(
    _ member: String, as arguments: (A, B, C, D).Type
  ) -> Operation<(A, B, C, D), DBusError> {
    signal(member) { message throws(DBusError) in try decode(message.values, as: (A, B, C, D).self) }
  }
}
