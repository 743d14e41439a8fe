import Streams

// Methods with asynchronous closures. Each number of arguments has its own functions: the compiler crashes for a
// closure of this kind with a parameter pack.
extension DBusInterface {
  /// Adds a method with no arguments and one result that answers when an asynchronous closure returns.
  ///
  /// Calls of a method overlap. The task is canceled when the connection is lost, and when the object is not exported
  /// any more. The closure runs on the loop's thread, or in the actor to which it is isolated.
  public func method<Result: DBusConvertible>(
    _ name: String, in inputs: [String] = [], out outputs: [String] = [],
    _ body: nonisolated(nonsending) @escaping () async throws -> Result
  ) -> DBusInterface {
    adding(name, [], inputs, [Result.dBusSignature], outputs) { values in
      try decode(values, as: Void.self)
      return Operation.awaiting { [try await body().dBusValue] }
    }
  }

  /// Adds a method with no arguments and no result, or several, that answers when an asynchronous closure returns.
  public func method<each Result: DBusConvertible>(
    _ name: String, in inputs: [String] = [], out outputs: [String] = [],
    _ body: nonisolated(nonsending) @escaping () async throws -> (repeat each Result)
  ) -> DBusInterface {
    let results = signaturesOf((repeat each Result).self)
    return adding(name, [], inputs, results, outputs) { values in
      try decode(values, as: Void.self)
      return Operation.awaiting {
        let result = try await body()
        return encode(repeat each result)
      }
    }
  }

  /// Adds a method with one argument and one result that answers when an asynchronous closure returns.
  ///
  /// Calls of a method overlap. The task is canceled when the connection is lost, and when the object is not exported
  /// any more. The closure runs on the loop's thread, or in the actor to which it is isolated.
  public func method<A: DBusConvertible, Result: DBusConvertible>(
    _ name: String, in inputs: [String] = [], out outputs: [String] = [],
    _ body: nonisolated(nonsending) @escaping (A) async throws -> Result
  ) -> DBusInterface {
    adding(name, [A.dBusSignature], inputs, [Result.dBusSignature], outputs) { values in
      let a = try decode(values, as: A.self)
      return Operation.awaiting { [try await body(a).dBusValue] }
    }
  }

  /// Adds a method with one argument and no result, or several, that answers when an asynchronous closure returns.
  public func method<A: DBusConvertible, each Result: DBusConvertible>(
    _ name: String, in inputs: [String] = [], out outputs: [String] = [],
    _ body: nonisolated(nonsending) @escaping (A) async throws -> (repeat each Result)
  ) -> DBusInterface {
    let results = signaturesOf((repeat each Result).self)
    return adding(name, [A.dBusSignature], inputs, results, outputs) { values in
      let a = try decode(values, as: A.self)
      return Operation.awaiting {
        let result = try await body(a)
        return encode(repeat each result)
      }
    }
  }

  /// Adds a method with two arguments and one result that answers when an asynchronous closure returns.
  ///
  /// Calls of a method overlap. The task is canceled when the connection is lost, and when the object is not exported
  /// any more. The closure runs on the loop's thread, or in the actor to which it is isolated.
  public func method<A: DBusConvertible, B: DBusConvertible, Result: DBusConvertible>(
    _ name: String, in inputs: [String] = [], out outputs: [String] = [],
    _ body: nonisolated(nonsending) @escaping (A, B) async throws -> Result
  ) -> DBusInterface {
    adding(name, [A.dBusSignature, B.dBusSignature], inputs, [Result.dBusSignature], outputs) { values in
      let (a, b) = try decode(values, as: (A, B).self)
      return Operation.awaiting { [try await body(a, b).dBusValue] }
    }
  }

  /// Adds a method with two arguments and no result, or several, that answers when an asynchronous closure returns.
  public func method<A: DBusConvertible, B: DBusConvertible, each Result: DBusConvertible>(
    _ name: String, in inputs: [String] = [], out outputs: [String] = [],
    _ body: nonisolated(nonsending) @escaping (A, B) async throws -> (repeat each Result)
  ) -> DBusInterface {
    let results = signaturesOf((repeat each Result).self)
    return adding(name, [A.dBusSignature, B.dBusSignature], inputs, results, outputs) { values in
      let (a, b) = try decode(values, as: (A, B).self)
      return Operation.awaiting {
        let result = try await body(a, b)
        return encode(repeat each result)
      }
    }
  }

  /// Adds a method with three arguments and one result that answers when an asynchronous closure returns.
  ///
  /// Calls of a method overlap. The task is canceled when the connection is lost, and when the object is not exported
  /// any more. The closure runs on the loop's thread, or in the actor to which it is isolated.
  public func method<A: DBusConvertible, B: DBusConvertible, C: DBusConvertible, Result: DBusConvertible>(
    _ name: String, in inputs: [String] = [], out outputs: [String] = [],
    _ body: nonisolated(nonsending) @escaping (A, B, C) async throws -> Result
  ) -> DBusInterface {
    adding(name, [A.dBusSignature, B.dBusSignature, C.dBusSignature], inputs, [Result.dBusSignature], outputs) {
      values in
      let (a, b, c) = try decode(values, as: (A, B, C).self)
      return Operation.awaiting { [try await body(a, b, c).dBusValue] }
    }
  }

  /// Adds a method with three arguments and no result, or several, that answers when an asynchronous closure returns.
  public func method<A: DBusConvertible, B: DBusConvertible, C: DBusConvertible, each Result: DBusConvertible>(
    _ name: String, in inputs: [String] = [], out outputs: [String] = [],
    _ body: nonisolated(nonsending) @escaping (A, B, C) async throws -> (repeat each Result)
  ) -> DBusInterface {
    let results = signaturesOf((repeat each Result).self)
    return adding(name, [A.dBusSignature, B.dBusSignature, C.dBusSignature], inputs, results, outputs) { values in
      let (a, b, c) = try decode(values, as: (A, B, C).self)
      return Operation.awaiting {
        let result = try await body(a, b, c)
        return encode(repeat each result)
      }
    }
  }

  /// Adds a method with four arguments and one result that answers when an asynchronous closure returns.
  ///
  /// Calls of a method overlap. The task is canceled when the connection is lost, and when the object is not exported
  /// any more. The closure runs on the loop's thread, or in the actor to which it is isolated.
  public func method<
    A: DBusConvertible, B: DBusConvertible, C: DBusConvertible, D: DBusConvertible, Result: DBusConvertible
  >(
    _ name: String, in inputs: [String] = [], out outputs: [String] = [],
    _ body: nonisolated(nonsending) @escaping (A, B, C, D) async throws -> Result
  ) -> DBusInterface {
    adding(
      name, [A.dBusSignature, B.dBusSignature, C.dBusSignature, D.dBusSignature], inputs, [Result.dBusSignature],
      outputs
    ) { values in
      let (a, b, c, d) = try decode(values, as: (A, B, C, D).self)
      return Operation.awaiting { [try await body(a, b, c, d).dBusValue] }
    }
  }

  /// Adds a method with four arguments and no result, or several, that answers when an asynchronous closure returns.
  public func method<
    A: DBusConvertible, B: DBusConvertible, C: DBusConvertible, D: DBusConvertible, each Result: DBusConvertible
  >(
    _ name: String, in inputs: [String] = [], out outputs: [String] = [],
    _ body: nonisolated(nonsending) @escaping (A, B, C, D) async throws -> (repeat each Result)
  ) -> DBusInterface {
    let results = signaturesOf((repeat each Result).self)
    return adding(name, [A.dBusSignature, B.dBusSignature, C.dBusSignature, D.dBusSignature], inputs, results, outputs)
    { values in
      let (a, b, c, d) = try decode(values, as: (A, B, C, D).self)
      return Operation.awaiting {
        let result = try await body(a, b, c, d)
        return encode(repeat each result)
      }
    }
  }

  /// Adds a method with five arguments and one result that answers when an asynchronous closure returns.
  ///
  /// Calls of a method overlap. The task is canceled when the connection is lost, and when the object is not exported
  /// any more. The closure runs on the loop's thread, or in the actor to which it is isolated.
  public func method<
    A: DBusConvertible, B: DBusConvertible, C: DBusConvertible, D: DBusConvertible, E: DBusConvertible,
    Result: DBusConvertible
  >(
    _ name: String, in inputs: [String] = [], out outputs: [String] = [],
    _ body: nonisolated(nonsending) @escaping (A, B, C, D, E) async throws -> Result
  ) -> DBusInterface {
    adding(
      name, [A.dBusSignature, B.dBusSignature, C.dBusSignature, D.dBusSignature, E.dBusSignature], inputs,
      [Result.dBusSignature], outputs
    ) { values in
      let (a, b, c, d, e) = try decode(values, as: (A, B, C, D, E).self)
      return Operation.awaiting { [try await body(a, b, c, d, e).dBusValue] }
    }
  }

  /// Adds a method with five arguments and no result, or several, that answers when an asynchronous closure returns.
  public func method<
    A: DBusConvertible, B: DBusConvertible, C: DBusConvertible, D: DBusConvertible, E: DBusConvertible,
    each Result: DBusConvertible
  >(
    _ name: String, in inputs: [String] = [], out outputs: [String] = [],
    _ body: nonisolated(nonsending) @escaping (A, B, C, D, E) async throws -> (repeat each Result)
  ) -> DBusInterface {
    let results = signaturesOf((repeat each Result).self)
    return adding(
      name, [A.dBusSignature, B.dBusSignature, C.dBusSignature, D.dBusSignature, E.dBusSignature], inputs, results,
      outputs
    ) { values in
      let (a, b, c, d, e) = try decode(values, as: (A, B, C, D, E).self)
      return Operation.awaiting {
        let result = try await body(a, b, c, d, e)
        return encode(repeat each result)
      }
    }
  }
}
