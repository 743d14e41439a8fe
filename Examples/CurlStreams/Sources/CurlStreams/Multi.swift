import CCurl
import Callbacks
import EventLoops
import Streams

/// curl's multi handle on a loop. A `LibraryDriver` watches its sockets and runs its timer.
///
/// One call into curl can call back with several contexts (C4): one for each of the two callbacks of the multi handle, and
/// one for each transfer.
final class Multi {
  private(set) var pointer: UnsafeMutableRawPointer?
  /// Runs the calls into curl, which must not be called inside its callbacks (N1).
  let driver: LibraryDriver
  var transfers: [ObjectIdentifier: Transfer] = [:]
  /// The number of times that curl has requested an immediate call. For the tests.
  private(set) var zeroTimeouts = 0
  private var socketCallback: RepeatingCallback<Int32, Int32, Void>?
  private var timerCallback: RepeatingCallback<Int, Void>?

  private static let initialisation: CURLcode = headwater_global_init()

  init() throws(CurlError) {
    if Self.initialisation != CURLE_OK { throw CurlError(Self.initialisation) }
    do throws(UVError) { driver = try LibraryDriver() } catch { throw CurlError(CURLE_FAILED_INIT) }
    guard let pointer = curl_multi_init() else { throw CurlError(CURLE_OUT_OF_MEMORY) }
    self.pointer = pointer
    driver.start(
      ready: { [unowned self] socket, events in act(socket, events.selectBits) },
      timeout: { [unowned self] in act(headwater_socket_timeout(), 0) },
      afterCalls: { [unowned self] in finishTransfers() })
    let socketCallback = RepeatingCallback<Int32, Int32, Void> { [unowned self] socket, what in watch(socket, what) }
    let timerCallback = RepeatingCallback<Int, Void> { [unowned self] milliseconds in schedule(milliseconds) }
    self.socketCallback = socketCallback
    self.timerCallback = timerCallback
    headwater_multi_set_socket(
      pointer,
      { _, socket, what, context, _ in
        RepeatingCallback<Int32, Int32, Void>.call(context, socket, what)
        return 0
      }, socketCallback.context)
    headwater_multi_set_timer(
      pointer,
      { _, milliseconds, context in
        RepeatingCallback<Int, Void>.call(context, milliseconds)
        return 0
      }, timerCallback.context)
  }

  // MARK: Calls by curl

  private func watch(_ socket: Int32, _ what: Int32) {
    // CURL_POLL_REMOVE has neither of the two bits, so it ends the watch. curl closes the socket afterwards.
    do throws(UVError) {
      try driver.watch(socket, for: PollEvents(curl: what))
    } catch {
      fail(CurlError(CURLE_FAILED_INIT))
    }
  }

  private func schedule(_ milliseconds: Int) {
    if milliseconds == 0 { zeroTimeouts += 1 }
    driver.setTimeout(milliseconds < 0 ? nil : .milliseconds(milliseconds))
  }

  // MARK: Calls into curl

  private func act(_ socket: Int32, _ events: Int32) {
    guard let pointer else { return }
    var running: Int32 = 0
    let code = curl_multi_socket_action(pointer, socket, events, &running)
    if code != CURLM_OK { fail(CurlError(code)) }
  }

  private func finishTransfers() {
    guard let pointer else { return }
    var count: Int32 = 0
    while let message = curl_multi_info_read(pointer, &count) {
      guard message.pointee.msg == CURLMSG_DONE else { continue }
      // The next call into curl frees the message.
      let code = message.pointee.data.result
      // curl stores the context of the transfer in the easy handle (C3).
      CallbackTable<Transfer>.with(headwater_easy_private(message.pointee.easy_handle)) { $0.didEnd(code) }
    }
  }

  private func fail(_ error: CurlError) { for transfer in transfers.values { transfer.end(.failed(error)) } }

  func close() {
    driver.close { [self] in
      guard let pointer else { return }
      for transfer in transfers.values {
        transfer.end(.failed(.closed))
        transfer.release()
      }
      self.pointer = nil
      // Also closes the connections.
      curl_multi_cleanup(pointer)
      socketCallback = nil
      timerCallback = nil
    }
  }
}

extension PollEvents {
  /// The events that curl requests for a socket: CURL_POLL_IN, CURL_POLL_OUT, both, or neither.
  fileprivate init(curl what: Int32) {
    self = []
    if what & CURL_POLL_IN != 0 { insert(.readable) }
    if what & CURL_POLL_OUT != 0 { insert(.writable) }
  }

  /// The events as bits for curl: CURL_CSELECT_IN, CURL_CSELECT_OUT, both, or neither.
  fileprivate var selectBits: Int32 {
    (contains(.readable) ? CURL_CSELECT_IN : 0) | (contains(.writable) ? CURL_CSELECT_OUT : 0)
  }
}
