import Headwater
import MQTTStreams

/// Watches a directory, records its changes, and sends each one until the collector has confirmed it.
///
/// Ownership: Node ===> bag ===> subscriptions, which refer to the node without owning it.
final class Node {
  /// The maximum number of unconfirmed changes in flight.
  private static let window: Int64 = 200
  /// The initial delay before unconfirmed changes are sent again. It doubles each time, up to 300 seconds.
  private static let patience = Duration.seconds(5)

  private let name: String
  private let directory: BytePath
  private let meeting: Meeting
  private let journal: Journal
  private let link: Link
  private let fail: (FleetError) -> Void
  private let bag = DisposeBag()
  private let flushing = SerialDisposable()
  private let waiting = SerialDisposable()
  /// The events that have been delivered and are not recorded yet.
  private var events: [FileEvent] = []
  /// The number of the last change that was sent since the last rewind.
  private var position: Int64 = 0
  /// The highest number that this run has sent.
  private var highest: Int64 = 0
  private var confirmed: Int64 = 0
  /// The last number that the collector has stored. A previous run may have sent more than this one has so far.
  private var stored: Int64 = 0
  private var delay = Node.patience

  init(
    _ name: String, directory: BytePath, journal: Journal, meeting: Meeting, fail: @escaping (FleetError) -> Void
  ) {
    self.name = name
    self.directory = directory
    self.journal = journal
    self.meeting = meeting
    self.fail = fail
    link = Link(meeting, fail: fail)
    flushing.dispose(in: bag)
    waiting.dispose(in: bag)
  }

  func start() throws(FleetError) {
    var options = FileWatchOptions()
    options.reportsExisting = true
    options.onNotice = { note("\($0)") }
    var failure: FleetError?
    var isStarting = true
    Operation.fileEvents(at: [directory], options)
      .doOn(failed: { [unowned self] error in if isStarting { failure = .watch(error) } else { fail(.watch(error)) } })
      .toStream(logError: false)
      .observeNext { [unowned self] event in
        events.append(event)
        if !isStarting, events.count == 1 { scheduleFlush() }
      }
      .dispose(in: bag)
    if let failure { throw failure }
    // The directory is watched now. The events so far are the existing files.
    try journal.compare(with: events)
    events = []
    isStarting = false
    link.receive([meeting.stored(name), meeting.refused(name), meeting.collector]) { [unowned self] in take($0) }
      .dispose(in: bag)
    link.send(connected: { [unowned self] in rewind() }, { [unowned self] in next() }).dispose(in: bag)
    note("\(name): watching, \(journal.last) changes recorded so far")
  }

  /// Records the delivered events, and stops.
  func stop() {
    flush()
    bag.dispose()
    journal.close()
  }

  private func attempt<Result>(_ body: () throws(FleetError) -> Result) -> Result? {
    do throws(FleetError) { return try body() } catch { fail(error) }
    return nil
  }

  // MARK: Recording

  // The events of one loop iteration are one transaction, because each commit waits for the disk.
  private func scheduleFlush() {
    flushing.inner = Stream.timer((), after: .zero).observeNext { [unowned self] in flush() }
  }

  private func flush() {
    if events.isEmpty { return }
    let events = self.events
    self.events = []
    attempt { () throws(FleetError) in try journal.record(events) }
    link.wake()
  }

  // MARK: Sending

  /// Returns the next change to send, or nil if there is none or the window is full. A change is on the disk before it is sent.
  private func next() -> MQTTMessage? {
    guard link.isSubscribed, position < max(stored, journal.oldest - 1) + Self.window,
      let change = attempt({ () throws(FleetError) in try journal.change(after: position) }) ?? nil
    else { return nil }
    position = change.id
    highest = max(highest, position)
    if waiting.inner == nil { waitForConfirmation() }
    return MQTTMessage(meeting.changes(name), Report(change, oldest: journal.oldest).payload)
  }

  /// Sends all changes that are still in the journal again. These include all unconfirmed ones.
  private func rewind() {
    position = max(0, journal.oldest - 1)
    link.wake()
  }

  // The broker can lose messages that it has acknowledged, if it is killed or its queue for the collector is full.
  private func waitForConfirmation() {
    waiting.inner = Stream.timer((), after: delay).observeNext { [unowned self] in
      waiting.inner = nil
      delay = min(delay * 2, .seconds(300))
      if confirmed < highest { rewind() }
    }
  }

  private func take(_ event: MQTTEvent) {
    guard case .message(let message) = event else { return rewind() }
    switch message.topic {
    case meeting.collector:
      delay = Self.patience
      rewind()
    case meeting.stored(name):
      guard let id = Int64(message.text), id >= 0 else {
        return note("\(message.topic): not a number: \(Change.escaped(message.payload))")
      }
      confirm(id)
    default:
      fail(.numbersWentBack(node: name, stored: Int64(message.text) ?? 0))
    }
  }

  private func confirm(_ id: Int64) {
    if id > journal.last { return fail(.numbersWentBack(node: name, stored: id)) }
    stored = max(stored, id)
    // Changes that this run has not sent are not deleted yet, because the collector has to compare them with the stored ones.
    if id > highest { return link.wake() }
    if id <= confirmed { return }
    confirmed = id
    attempt { () throws(FleetError) in try journal.confirm(through: id) }
    delay = Self.patience
    waiting.inner = nil
    if confirmed < highest { waitForConfirmation() }
    link.wake()
  }
}
