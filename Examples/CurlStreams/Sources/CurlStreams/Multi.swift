import CCurl
import Callbacks
import EventLoops
import Streams

/// curl's multi handle on a loop: its sockets are polled, its timer is a timer of the loop's.
///
/// Four contexts meet in curl's calls (C4): that of the multi handle in its two callbacks, one for each socket, and one for each
/// transfer.
final class Multi {
  private(set) var pointer: UnsafeMutableRawPointer?
  /// curl must not be called from inside of its callbacks (N1).
  let calls = Deferral()
  var transfers: [ObjectIdentifier: Transfer] = [:]
  /// The contexts that curl holds through curl_multi_assign.
  private(set) var watchCount = 0
  /// How often curl has wanted to be called at once.
  private(set) var zeroTimeouts = 0
  private let timer: TimerHandle
  private var socketCallback: RepeatingCallback<Int32, Int32, UnsafeMutableRawPointer?, Void>?
  private var timerCallback: RepeatingCallback<Int, Void>?

  private static let initialisation: CURLcode = headwater_global_init()

  init() throws(CurlError) {
    if Self.initialisation != CURLE_OK { throw CurlError(Self.initialisation) }
    do throws(UVError) { timer = try TimerHandle() } catch { throw CurlError(CURLE_FAILED_INIT) }
    guard let pointer = curl_multi_init() else {
      timer.dispose()
      throw CurlError(CURLE_OUT_OF_MEMORY)
    }
    self.pointer = pointer
    let socketCallback = RepeatingCallback<Int32, Int32, UnsafeMutableRawPointer?, Void> {
      [unowned self] socket, what, context in watch(socket, what, context)
    }
    let timerCallback = RepeatingCallback<Int, Void> { [unowned self] milliseconds in schedule(milliseconds) }
    self.socketCallback = socketCallback
    self.timerCallback = timerCallback
    headwater_multi_set_socket(
      pointer,
      { _, socket, what, context, watch in
        RepeatingCallback<Int32, Int32, UnsafeMutableRawPointer?, Void>.call(context, socket, what, watch)
        return 0
      }, socketCallback.context)
    headwater_multi_set_timer(
      pointer,
      { _, milliseconds, context in
        RepeatingCallback<Int, Void>.call(context, milliseconds)
        return 0
      }, timerCallback.context)
  }

  // MARK: What curl asks for

  private func watch(_ socket: Int32, _ what: Int32, _ context: UnsafeMutableRawPointer?) {
    if what == CURL_POLL_REMOVE {
      guard context != nil else { return }
      // curl lets go of the socket, and closes it after this.
      UntilClosed<PollHandle>.take(context).dispose()
      watchCount -= 1
      curl_multi_assign(pointer, socket, nil)
      return
    }
    var events: PollEvents = []
    if what & CURL_POLL_IN != 0 { events.insert(.readable) }
    if what & CURL_POLL_OUT != 0 { events.insert(.writable) }
    do throws(UVError) {
      let handle = if context != nil { UntilClosed<PollHandle>.borrow(context) } else { try open(socket) }
      try handle.start(events) { [weak self] result in self?.act(socket, result) }
    } catch {
      fail(CurlError(CURLE_FAILED_INIT))
    }
  }

  private func open(_ socket: Int32) throws(UVError) -> PollHandle {
    let handle = try PollHandle(descriptor: socket)
    // The one call that curl allows here.
    curl_multi_assign(pointer, socket, UntilClosed<PollHandle>.lend(handle))
    watchCount += 1
    return handle
  }

  private func schedule(_ milliseconds: Int) {
    if milliseconds < 0 { return timer.stop() }
    if milliseconds == 0 { zeroTimeouts += 1 }
    // Also for zero: on the loop's next turn, not from inside of curl.
    timer.start(after: .milliseconds(milliseconds)) { [weak self] in
      self?.act(headwater_socket_timeout(), 0)
    }
  }

  // MARK: What curl is told

  private func act(_ socket: Int32, _ result: Result<PollEvents, UVError>) {
    switch result {
    case .success(let events):
      act(
        socket,
        (events.contains(.readable) ? CURL_CSELECT_IN : 0) | (events.contains(.writable) ? CURL_CSELECT_OUT : 0))
    case .failure: act(socket, CURL_CSELECT_ERR)
    }
  }

  private func act(_ socket: Int32, _ events: Int32) {
    calls.during {
      guard let pointer else { return }
      var running: Int32 = 0
      let code = curl_multi_socket_action(pointer, socket, events, &running)
      if code != CURLM_OK { fail(CurlError(code)) }
      finishTransfers()
    }
  }

  private func finishTransfers() {
    var count: Int32 = 0
    while let message = curl_multi_info_read(pointer, &count) {
      guard message.pointee.msg == CURLMSG_DONE else { continue }
      // The message goes with the next call.
      let code = message.pointee.data.result
      // The context of a transfer is asked for (C3).
      CallbackTable<Transfer>.with(headwater_easy_private(message.pointee.easy_handle)) { $0.didEnd(code) }
    }
  }

  private func fail(_ error: CurlError) { for transfer in transfers.values { transfer.end(.failed(error)) } }

  func close() { calls.afterCall { [self] in closeNow() } }

  private func closeNow() {
    guard let pointer else { return }
    calls.during {
      for transfer in transfers.values {
        transfer.end(.failed(.closed))
        transfer.release()
      }
      self.pointer = nil
      // Closes the connections, and lets go of their sockets.
      curl_multi_cleanup(pointer)
    }
    socketCallback = nil
    timerCallback = nil
    timer.dispose()
  }
}
