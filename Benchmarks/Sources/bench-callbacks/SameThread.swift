import Callbacks
import CallingC
import Streams

/// Implementations of a callback that the same C function calls on the calling thread.
enum SameThread {
  /// A call of a closure, as a measure of the machine's speed.
  static func closure(_ total: Total) -> Side {
    Side(name: "closure call") {
      let body: (Int64) -> Void = opaque { total.value &+= $0 }
      return { count in for number in 0..<Int64(count) { body(number) } }
    }
  }

  /// The code that one would write by hand without a closure: the context is the object.
  static func bare(_ total: Total) -> Side {
    Side(name: "bare C call (Unmanaged object)") {
      let context = Unmanaged.passRetained(total).toOpaque()
      return { count in
        calling_loop({ Unmanaged<Total>.fromOpaque($0!).takeUnretainedValue().value &+= $1 }, context, Int64(count))
      }
    }
  }

  /// The usual box around a closure. It can crash if it is called after it has been freed, or on another thread.
  static func byHand(_ total: Total) -> Side {
    Side(name: "by hand (Unmanaged closure box)") {
      let context = Unmanaged.passRetained(HandWrittenBox { total.value &+= $0 }).toOpaque()
      return { count in
        calling_loop(
          { Unmanaged<HandWrittenBox>.fromOpaque($0!).takeUnretainedValue().call($1) }, context, Int64(count))
      }
    }
  }

  /// The usual box, with a closure that sends into the one-operator stream of the goal.
  static func byHandStream(_ total: Total) -> Side {
    Side(name: "by hand, into a one-operator stream") {
      let push = PushStream<Int64>()
      let subscription = push.map { $0 &+ 1 }.observeNext { total.value &+= $0 }
      let context = Unmanaged.passRetained(HandWrittenBox { push.next($0) }).toOpaque()
      return { count in
        calling_loop(
          { Unmanaged<HandWrittenBox>.fromOpaque($0!).takeUnretainedValue().call($1) }, context, Int64(count))
        withExtendedLifetime(subscription) {}
      }
    }
  }

  static func repeating(_ total: Total) -> Side {
    Side(name: "RepeatingCallback") {
      let callback = RepeatingCallback<Int64, Void> { total.value &+= $0 }
      return { count in
        calling_loop({ RepeatingCallback<Int64, Void>.call($0, $1) }, callback.context, Int64(count))
      }
    }
  }

  /// Any thread may call. The box is pinned during a call.
  static func foreign(_ total: Total) -> Side {
    Side(name: "ForeignCallback") {
      // All calls are made on this thread.
      nonisolated(unsafe) let total = total
      let callback = ForeignCallback<Int64, Void> { total.value &+= $0 }
      return { count in
        calling_loop({ ForeignCallback<Int64, Void>.call($0, $1) }, callback.context, Int64(count))
      }
    }
  }

  /// The subject of the goal: a callback as a cold stream with one operator.
  static func stream(_ total: Total) -> Side {
    Side(name: "RepeatingCallback, into a one-operator stream") {
      var context: UnsafeMutableRawPointer?
      let values = Stream<Int64>.registering { observer in
        RepeatingCallback<Int64, Void> { observer.next($0) }
      } register: { callback in
        context = callback.context
      } unregister: { _ in
      }
      let subscription = values.map { $0 &+ 1 }.observeNext { total.value &+= $0 }
      let registered = context
      return { count in
        calling_loop({ RepeatingCallback<Int64, Void>.call($0, $1) }, registered, Int64(count))
        withExtendedLifetime(subscription) {}
      }
    }
  }
}

private final class HandWrittenBox {
  let call: (Int64) -> Void

  init(_ call: @escaping (Int64) -> Void) { self.call = call }
}

/// Returns `value`, and hides it from the optimizer.
@inline(never)
private func opaque<Value>(_ value: Value) -> Value { value }
