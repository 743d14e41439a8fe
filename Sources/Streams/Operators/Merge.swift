extension Operation {
  /// Emits the elements of all `streams` as they are delivered.
  ///
  /// Observes the streams in order. Completes when all have completed, or immediately if there is no stream. A failure is delivered
  /// immediately and disposes the others. An element that is sent during a delivery is delivered after it. Pausing reaches all.
  @inlinable
  public static func merge(_ streams: [Operation]) -> Operation { all(of: streams, .merge) }

  /// Emits the elements of all `streams` as they are delivered. The streams can have different types.
  @_disfavoredOverload
  public static func merge(_ streams: [any StreamProtocol<Element, Failure>]) -> Operation {
    merge(streams.map { $0.toOperation() })
  }

  /// Emits the elements of `streams`, one stream after the other. Each is observed after the completion of the previous one.
  @inlinable
  public static func concat(_ streams: [Operation]) -> Operation { all(of: streams, .concat) }

  /// Emits the elements of `streams`, one stream after the other. The streams can have different types.
  @_disfavoredOverload
  public static func concat(_ streams: [any StreamProtocol<Element, Failure>]) -> Operation {
    concat(streams.map { $0.toOperation() })
  }

  /// Flattens a fixed number of streams, without an outer stream that could be paused.
  @inlinable
  static func all(of streams: [Operation], _ strategy: FlattenStrategy, name: StaticString? = #function) -> Operation {
    .unguarded(name: name) { observer in
      let state = Flattening<Operation, Operation>(observer, strategy, name: nil) { $0 }
      for stream in streams {
        if state.exit.isDisposed { break }
        state.next(stream)
      }
      if !state.exit.isDisposed { state.terminate(.completed) }
      return state.exit
    }
  }
}

/// Emits the elements of all `streams` as they are delivered. The streams can have different types.
///
/// Observes the streams in order. Completes when all have completed, or immediately if there is no stream. A failure is delivered
/// immediately and disposes the others. An element that is sent during a delivery is delivered after it. Pausing reaches all.
@_disfavoredOverload
public func merge<Element, Failure: Error>(
  _ streams: any StreamProtocol<Element, Failure>...
) -> Operation<Element, Failure> {
  merge(streams)
}

/// Emits the elements of all `streams` as they are delivered: `merge([taps, keys, commands])`. The streams can have different types.
///
/// Observes the streams in order. Completes when all have completed, or immediately if there is no stream. A failure is delivered
/// immediately and disposes the others. An element that is sent during a delivery is delivered after it. Pausing reaches all.
public func merge<Element, Failure: Error>(
  _ streams: [any StreamProtocol<Element, Failure>]
) -> Operation<Element, Failure> {
  .merge(streams.map { $0.toOperation() })
}

extension StreamProtocol {
  /// Emits the elements of both streams as they are delivered.
  ///
  /// Completes when both have completed. A failure is delivered immediately and disposes the other stream. Pausing reaches both.
  @inlinable
  public func merge<Other: StreamProtocol>(with other: Other) -> Operation<Element, Failure>
  where Other.Element == Element, Other.Failure == Failure {
    .merge([toOperation(), other.toOperation()])
  }

  /// Emits the elements of this stream, then those of `other`, which is observed after the completion of this stream.
  ///
  /// A failure is delivered immediately. Pausing reaches the stream that runs.
  @inlinable
  public func concat<Other: StreamProtocol>(with other: Other) -> Operation<Element, Failure>
  where Other.Element == Element, Other.Failure == Failure {
    .concat([toOperation(), other.toOperation()])
  }
}
