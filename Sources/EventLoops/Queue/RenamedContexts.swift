public import Streams

// Contexts under the names that ReactiveKit 2 gave them.

// swift-format-ignore: AlwaysUseLowerCamelCase
/// See `ExecutionContext.immediate(on:)`.
@available(*, deprecated, message: "use ExecutionContext.immediate(on: Queue.main.queue)")
public var ImmediateOnMainExecutionContext: ExecutionContext { .immediate(on: Queue.main.queue) }
