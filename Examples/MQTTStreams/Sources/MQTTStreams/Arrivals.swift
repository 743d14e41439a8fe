import CMosquitto
import Streams
import Synchronization

/// What comes on libmosquitto's thread, on its way home.
final class Arrivals: Sendable {
  /// A message, or nil for the beginning, with its number among all that have come.
  struct Arrival: Sendable {
    let number: Int
    let message: MQTTMessage?

    /// What the observer gets who has been told of all before `expected`.
    func event(expected: Int) -> MQTTEvent {
      guard var message else { return .subscribed }
      message.lostBefore = number - expected
      return .message(message)
    }
  }

  let inlet: Inlet<Arrival>
  /// nil where what is too much is dropped.
  let valve: Valve?
  private let filters: [String]
  private let quality: MQTTQuality
  // Touched by libmosquitto's thread alone, but that is not for the compiler to know.
  private let count = Atomic<Int>(0)
  private let answers = Atomic<Int>(0)
  private let error = Lock<MQTTError?>(nil)

  init(_ filters: [String], _ quality: MQTTQuality, _ capacity: Int, _ policy: MQTTOverflow) {
    self.filters = filters
    self.quality = quality
    inlet = Inlet(
      capacity: capacity, whenFull: policy == .dropOldest ? .dropOldest : .dropNewest, keepsLoopAlive: false,
      isolation: nil)
    valve = policy == .wait ? Valve(capacity: capacity) : nil
  }

  /// Why the stream has ended, once it has.
  var failure: MQTTError? { error.withLock { $0 } }

  /// Runs on libmosquitto's thread.
  func take(_ event: ClientEvent, from client: OpaquePointer?) {
    switch event {
    case .connected(0):
      // The only place that knows the moment; libmosquitto allows it.
      for filter in filters {
        let code = mosquitto_subscribe(client, nil, filter, quality.rawValue)
        if code != MOSQ_ERR_SUCCESS.rawValue { return fail(.invalid(code, call: "mosquitto_subscribe")) }
      }
    case .connected(let code): fail(.refused(code))
    case .subscribed(let granted): granted.contains(128) ? fail(.notSubscribed) : answer()
    case .message(let message): send(message)
    case .published: break
    case .disconnected(let code): fail(.disconnected(code))
    }
  }

  private func answer() {
    // One answer for each filter.
    if answers.add(1, ordering: .relaxed).newValue == filters.count { send(nil) }
  }

  private func send(_ message: MQTTMessage?) {
    let number = count.add(1, ordering: .relaxed).oldValue
    valve?.enter()
    inlet.send(Arrival(number: number, message: message))
  }

  /// The first reason is the one that counts.
  private func fail(_ error: MQTTError) {
    self.error.withLock { $0 = $0 ?? error }
    inlet.finish()
  }
}
