extension Operation {
  /// The elements of all `streams`, as they come.
  ///
  /// They are observed in order. Completes when all have completed, at once where there is none; a failure passes at once
  /// and disposes of the others. What is sent from inside a delivery is delivered after it. Pausing reaches all.
  @inlinable
  public static func merge(_ streams: [Operation]) -> Operation { all(of: streams, .merge) }

  /// The elements of all `streams`, of whatever types they are, as they come.
  @_disfavoredOverload
  public static func merge(_ streams: [any StreamProtocol<Element, Failure>]) -> Operation {
    merge(streams.map { $0.toOperation() })
  }

  /// The elements of `streams`, one after the other. Each is observed when the one before has completed.
  @inlinable
  public static func concat(_ streams: [Operation]) -> Operation { all(of: streams, .concat) }

  /// The elements of `streams`, of whatever types they are, one after the other.
  @_disfavoredOverload
  public static func concat(_ streams: [any StreamProtocol<Element, Failure>]) -> Operation {
    concat(streams.map { $0.toOperation() })
  }

  /// A known number of streams, flattened: there is no outer stream that could be paused.
  @inlinable
  static func all(of streams: [Operation], _ strategy: FlattenStrategy) -> Operation {
    Operation(unguarded: { observer in
      let state = Flattening<Operation, Operation>(observer, strategy) { $0 }
      for stream in streams {
        if state.exit.isDisposed { break }
        state.next(stream)
      }
      if !state.exit.isDisposed { state.terminate(.completed) }
      return state.exit
    })
  }
}

/// The elements of all `streams`, of whatever types they are, as they come.
///
/// They are observed in order. Completes when all have completed, at once if there is none. A failure passes at once and
/// disposes the others. An element sent from inside a delivery is delivered after it. Pausing reaches all.
@_disfavoredOverload
public func merge<Element, Failure: Error>(
  _ streams: any StreamProtocol<Element, Failure>...
) -> Operation<Element, Failure> {
  merge(streams)
}

/// The elements of all `streams`, of whatever types they are, as they come: `merge([taps, keys, commands])`.
///
/// They are observed in order. Completes when all have completed, at once if there is none. A failure passes at once and
/// disposes the others. An element sent from inside a delivery is delivered after it. Pausing reaches all.
public func merge<Element, Failure: Error>(
  _ streams: [any StreamProtocol<Element, Failure>]
) -> Operation<Element, Failure> {
  .merge(streams.map { $0.toOperation() })
}

extension StreamProtocol {
  /// The elements of both streams, as they come.
  ///
  /// Completes when both have completed; a failure of one passes at once and disposes of the other. Pausing reaches both.
  @inlinable
  public func merge<Other: StreamProtocol>(with other: Other) -> Operation<Element, Failure>
  where Other.Element == Element, Other.Failure == Failure {
    .merge([toOperation(), other.toOperation()])
  }

  /// The elements of this stream, then those of `other`, which is observed when this one has completed.
  ///
  /// A failure passes at once. Pausing reaches the one that runs.
  @inlinable
  public func concat<Other: StreamProtocol>(with other: Other) -> Operation<Element, Failure>
  where Other.Element == Element, Other.Failure == Failure {
    .concat([toOperation(), other.toOperation()])
  }
}
