// Written by wrap-library from Sources/CReadline/editor.h, readline/readline.h, readline/history.h.
// Change the choices beside this file and run it again; what is edited here is lost.

import CReadline
public import Callbacks

/// Callbacks that belong to no object.
nonisolated public enum ReadlineLibrary {
  private typealias LinesCallback = RepeatingCallback<UnsafeMutablePointer<CChar>?, Void>

  /// Not available unless READLINE_CALLBACKS is defined.
  ///
  /// C passes no context, so there is one registration in a process.
  /// C: `rl_callback_handler_install`.
  /// - Parameter copy: Makes an element of what C lends for the time of the call.
  public static func lines<Element>(
    _ argument1: String?, copying copy: @escaping (_ line: UnsafeMutablePointer<CChar>?) -> Element
  ) -> Stream<Element> {
    .registering { observer in
      LinesCallback({ line in observer.next(copy(line)) }, onEnd: { observer.completed() })
    } register: { callback in
      rlCallbackHandlerInstallSlot.claim(callback.context)
      rl_callback_handler_install(
        argument1,
        { line in
          guard let context = rlCallbackHandlerInstallSlot.context else { return }
          LinesCallback.call(context, line)
        })
    } unregister: { callback in
      rl_callback_handler_remove()
      rlCallbackHandlerInstallSlot.release(callback.context)
    }
  }

  private typealias OnCompletionCallback = RepeatingCallback<
    String?, Int32, Int32, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
  >

  /// Pointer to alternative function to create matches.
  ///
  /// There is one registration in a process.
  /// C: `rl_attempted_completion_function`.
  public static func onCompletion(
    _ answer:
      @escaping (_ word: String?, _ start: Int32, _ end: Int32) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
  ) -> any Disposable {
    let callback = OnCompletionCallback(answer)
    wrapSetRlAttemptedCompletionFunctionSlot.claim(callback.context)
    wrap_set_rl_attempted_completion_function({ word, start, end in
      guard let context = wrapSetRlAttemptedCompletionFunctionSlot.context else { return nil }
      return OnCompletionCallback.call(context, word.map { String(cString: $0) }, start, end, otherwise: nil)
    })
    return BlockDisposable {
      if callback.isEnded { return }
      if wrapSetRlAttemptedCompletionFunctionSlot.release(callback.context) {
        wrap_set_rl_attempted_completion_function(nil)
      }
      callback.disarm()
    }
  }
}

// Places for callbacks that C calls without a context.
nonisolated private let rlCallbackHandlerInstallSlot = CallbackPlace()
nonisolated private let wrapSetRlAttemptedCompletionFunctionSlot = CallbackPlace()
