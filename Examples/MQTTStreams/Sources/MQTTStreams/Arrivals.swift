import Mosquitto
import Streams
import Synchronization

/// The connection between libmosquitto's thread and the home of the stream, for one observer.
final class Arrivals: Sendable {
  /// A message with its sequence number, or nil and the number of the next message for the start of the subscription.
  struct Arrival: Sendable {
    let number: Int
    let message: MQTTMessage?

    /// Returns the event for the observer. `expected` is the number after that of the last delivered message.
    func event(expected: Int) -> MQTTEvent {
      guard var message else { return .subscribed }
      message.lostBefore = number - expected
      return .message(message)
    }
  }

  let inlet: Inlet<Arrival>
  /// nil if the policy drops messages.
  let valve: Valve?
  private let filters: [String]
  private let quality: MQTTQuality
  // Only libmosquitto's thread uses the two counters. They are atomic because the compiler cannot know this.
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

  /// The reason for the end of the stream; nil before the end.
  var failure: MQTTError? { error.withLock { $0 } }

  /// Runs on libmosquitto's thread.
  func take(_ event: ClientEvent, from client: Client) {
    switch event {
    case .connected(0):
      // Subscribes as soon as the broker has accepted. libmosquitto allows this call inside its callback.
      for filter in filters {
        if filter.utf8.contains(0) { return fail(.zeroByte(in: "mosquitto_subscribe")) }
        do { _ = try client.mosquitto.subscribe(filter, qos: quality.rawValue) } catch { return fail(MQTTError(error)) }
      }
    case .connected(let code): fail(.refused(code))
    case .subscribed(let granted): granted.contains(128) ? fail(.notSubscribed) : answer()
    case .message(let message): send(message)
    case .published: break
    case .disconnected(let error): fail(error)
    }
  }

  private func answer() {
    // The broker acknowledges each filter separately.
    if answers.add(1, ordering: .relaxed).newValue == filters.count { send(nil) }
  }

  private func send(_ message: MQTTMessage?) {
    let number = message == nil ? count.load(ordering: .relaxed) : count.add(1, ordering: .relaxed).oldValue
    valve?.enter()
    inlet.send(Arrival(number: number, message: message))
  }

  /// Ends the stream. Only the first error is reported.
  private func fail(_ error: MQTTError) {
    self.error.withLock { $0 = $0 ?? error }
    inlet.finish()
  }
}
