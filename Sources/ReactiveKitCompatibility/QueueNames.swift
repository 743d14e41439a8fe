public import EventLoops
public import Streams

// Contexts under the names that ReactiveKit 2 gave them.

// swift-format-ignore: AlwaysUseLowerCamelCase
/// See `ExecutionContext.immediate(on:)`.
@available(*, deprecated, message: "use ExecutionContext.immediate(on: Queue.main.queue)")
public var ImmediateOnMainExecutionContext: ExecutionContext { .immediate(on: Queue.main.queue) }

extension Queue {
  /// The name that ReactiveKit 2 gave it.
  @available(*, deprecated, renamed: "init(label:)")
  public convenience init(name: String) { self.init(label: name) }

  /// The name that ReactiveKit 2 gave it.
  @available(*, deprecated, renamed: "background")
  public static var global: BackgroundQueue { background }
}
