import Headwater
import MQTTStreams

/// Merges the changes of all nodes into one stream, each once and in order for each node.
///
/// Ownership: Collector ===> bag ===> subscriptions, which refer to the collector without owning it.
final class Collector {
  private let meeting: Meeting
  private let ledger: Ledger
  private let link: Link
  private let print: (String) -> Void
  private let fail: (FleetError) -> Void
  private let bag = DisposeBag()
  private let flushing = SerialDisposable()
  /// The reports that have been delivered and are not stored yet.
  private var reports: [(report: Report, node: String)] = []
  // The publications that are due, by node. They are state and not messages, so a lost connection loses none.
  private var isAnnouncing = false
  private var confirming: Set<String> = []
  private var refusing: Set<String> = []
  /// The nodes that have sent other changes under numbers that are stored.
  private var refused: Set<String> = []

  init(
    ledger: Ledger, meeting: Meeting, print: @escaping (String) -> Void, fail: @escaping (FleetError) -> Void
  ) {
    self.ledger = ledger
    self.meeting = meeting
    self.print = print
    self.fail = fail
    link = Link(meeting, fail: fail)
    flushing.dispose(in: bag)
  }

  func start() {
    link.receive([meeting.changes("+")], session: "\(meeting.topic)-collector") { [unowned self] in take($0) }
      .dispose(in: bag)
    link.send(connected: { [unowned self] in announce() }, { [unowned self] in next() }).dispose(in: bag)
    // Messages from libmosquitto's thread do not keep the loop alive. This timer does.
    Stream.interval(.seconds(3600)).observeNext { _ in }.dispose(in: bag)
  }

  /// Stores the delivered reports, and stops.
  func stop() {
    flush()
    bag.dispose()
    ledger.close()
  }

  // MARK: Storing

  private func take(_ event: MQTTEvent) {
    guard case .message(let message) = event else { return announce() }
    let node = String(message.topic.dropFirst(meeting.changes("").count))
    guard let report = Report(payload: message.payload) else {
      return note("\(message.topic): not a change, dropped: \(Change.escaped(message.payload))")
    }
    reports.append((report, node))
    // Reports that are delivered together are one transaction, because each commit waits for the disk.
    if reports.count == 1 {
      flushing.inner = Stream.timer((), after: .zero).observeNext { [unowned self] in flush() }
    }
  }

  private func flush() {
    if reports.isEmpty { return }
    let reports = self.reports
    self.reports = []
    var entries: [Ledger.Entry] = []
    do throws(FleetError) {
      try ledger.transaction { () throws(FleetError) in
        for (report, node) in reports {
          let (verdict, entry) = try add(report, from: node)
          if verdict == .contradicts { refuse(node, report.change.id) }
          if let entry { entries.append(entry) }
        }
      }
    } catch {
      return fail(error)
    }
    // Printed and confirmed after the commit.
    for entry in entries { print(entry.text) }
    link.wake()
  }

  private func add(_ report: Report, from node: String) throws(FleetError) -> (Ledger.Verdict, Ledger.Entry?) {
    // Only a repetition of a stored change proves that the node uses its own database again. Ignore new changes until then.
    if refused.contains(node), report.change.id > ledger.last[node] ?? 0 { return (.early, nil) }
    let (verdict, entry) = try ledger.add(report, from: node)
    switch verdict {
    case .stored(let missing):
      confirming.insert(node)
      if let missing {
        note(
          "\(node): \(missing.lowerBound) to \(missing.upperBound) were confirmed before and are not in this database")
      }
    case .repeated:
      refused.remove(node)
      confirming.insert(node)
    case .early, .contradicts: break
    }
    return (verdict, entry)
  }

  private func refuse(_ node: String, _ id: Int64) {
    refusing.insert(node)
    confirming.remove(node)
    if refused.insert(node).inserted {
      note("\(node): refused, because it has sent another change under the number \(id), which is stored already")
    }
  }

  // MARK: Answering

  /// Asks all nodes to send their unconfirmed changes again, and confirms the stored ones.
  private func announce() {
    isAnnouncing = true
    confirming.formUnion(ledger.last.keys)
    link.wake()
  }

  private func next() -> MQTTMessage? {
    guard link.isSubscribed else { return nil }
    if isAnnouncing {
      isAnnouncing = false
      return MQTTMessage(meeting.collector, "listens")
    }
    if let node = refusing.popFirst() { return MQTTMessage(meeting.refused(node), "\(ledger.last[node] ?? 0)") }
    guard let node = confirming.popFirst(), let id = ledger.last[node] else { return nil }
    return MQTTMessage(meeting.stored(node), "\(id)", isRetained: true)
  }
}
