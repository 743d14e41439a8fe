public import EventLoops
public import Streams

// Contexts with their names in ReactiveKit 2.

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The former name of `ExecutionContext.immediate(on:)`.
@available(*, deprecated, message: "use ExecutionContext.immediate(on: Queue.main.queue)")
public var ImmediateOnMainExecutionContext: ExecutionContext { .immediate(on: Queue.main.queue) }

extension Queue {
  /// The name in ReactiveKit 2.
  @available(*, deprecated, renamed: "init(label:)")
  public convenience init(name: String) { self.init(label: name) }

  /// The name in ReactiveKit 2.
  @available(*, deprecated, renamed: "background")
  public static var global: BackgroundQueue { background }
}
