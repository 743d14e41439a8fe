extension Operation {
  /// Returns a hot stream and its sender. The stream alone cannot send.
  ///
  /// Elements are delivered to the current observers. When the sender is deallocated without an end, the observers are released
  /// without an end.
  public static func pipe() -> (stream: Operation, input: PushOperation<Element, Failure>) {
    let input = PushOperation<Element, Failure>()
    let table = input.table
    return (Operation(unguarded: { observer in table.subscribe(observer) }), input)
  }
}
