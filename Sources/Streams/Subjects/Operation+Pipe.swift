extension Operation {
  /// A hot stream and its sending end, apart from each other: who has the stream cannot send.
  ///
  /// What is sent goes to those who observe at that moment, as with `PushOperation`. Once the sending end has gone nothing
  /// more comes, and the observers are released without being told anything.
  public static func pipe() -> (stream: Operation, input: PushOperation<Element, Failure>) {
    let input = PushOperation<Element, Failure>()
    let table = input.table
    return (Operation(unguarded: { observer in table.subscribe(observer) }), input)
  }
}
