import Headwater

/// A chat room: its guests, and the lines that they send to each other.
///
/// Ownership: Room ===> guests ===> bag ===> the lines of a connection, which refer to the room without owning it.
final class Room {
  /// How long a guest that is removed may take to read the reason.
  private static let patience = Duration.seconds(5)

  private let lineLimit: Int
  private let queueLimit: Int
  private var guests: [ObjectIdentifier: Guest] = [:]

  /// Creates an empty room. The limits are in bytes.
  init(lineLimit: Int, queueLimit: Int) {
    self.lineLimit = lineLimit
    self.queueLimit = queueLimit
  }

  /// Adds a guest, and asks for a name.
  func enter(_ connection: TCPHandle) {
    let guest = Guest(connection)
    guests[ObjectIdentifier(guest)] = guest
    connection.watermarks = Watermarks(high: queueLimit, low: queueLimit / 2)
    guest.tell("* Who are you?")
    connection.bytes.lines(limit: lineLimit)
      .observe(
        next: { [unowned self, unowned guest] in hear($0, from: guest) },
        termination: { [unowned self, unowned guest] end in ended(end, guest) }
      )
      .dispose(in: guest.bag)
  }

  /// Removes all guests, after a last line to each of them.
  func close() {
    for guest in guests.values {
      guest.tell("* The room is closed.")
      guest.leave(within: Room.patience)
    }
    guests = [:]
  }

  // MARK: Listening

  private func hear(_ line: String, from guest: Guest) {
    let text = Guest.printable(line)
    guard let name = guest.name else { return introduce(guest, as: text) }
    switch text {
    case "": break
    case "/quit": remove(guest, telling: "* Bye.", "has left")
    case "/who":
      answer(guest, "* Here are: \(guests.values.compactMap(\.name).sorted().joined(separator: ", "))")
    default: tellAll("\(name): \(text)", except: guest)
    }
  }

  private func introduce(_ guest: Guest, as name: String) {
    if name == "/quit" { return remove(guest, telling: "* Bye.", "") }
    if !(1...20).contains(name.count) || !name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }) {
      return answer(guest, "* A name has 1 to 20 letters, digits, - and _. Who are you?")
    }
    if guests.values.contains(where: { $0.name?.lowercased() == name.lowercased() }) {
      return answer(guest, "* \(name) is here already. Who are you?")
    }
    guest.name = name
    guest.tell("* Welcome, \(name). There are /who and /quit.")
    tellAll("* \(name) has joined", except: guest)
  }

  private func ended(_ end: Termination<FramingError<UVError>>, _ guest: Guest) {
    switch end {
    case .completed: remove(guest, telling: nil, "has left")
    case .failed(.tooLong(let limit)):
      remove(guest, telling: "* A line has at most \(limit) bytes. Bye.", "talked too long")
    case .failed: remove(guest, telling: nil, "has been cut off")
    }
  }

  // MARK: Telling

  /// Sends a line to a guest that has written one. Its queue is checked, because a guest may write and never read.
  private func answer(_ guest: Guest, _ line: String) {
    guest.tell(line)
    removeIfSlow(guest)
  }

  /// Sends a line to all named guests except `one`. Removes guests whose queues are full, so none delays the others.
  private func tellAll(_ line: String, except one: Guest? = nil) {
    let bytes = Bytes(line + "\n")
    for guest in guests.values where guest.name != nil && guest !== one { guest.connection.write(bytes) }
    for guest in guests.values { removeIfSlow(guest) }
  }

  private func removeIfSlow(_ guest: Guest) {
    if guest.connection.isFull { remove(guest, telling: "* You read too slowly. Bye.", "reads too slowly") }
  }

  private func remove(_ guest: Guest, telling word: String?, _ reason: String) {
    // `tellAll` may have removed the guest already.
    guard guests.removeValue(forKey: ObjectIdentifier(guest)) != nil else { return }
    if let word { guest.tell(word) }
    guest.leave(within: Room.patience)
    if let name = guest.name { tellAll("* \(name) \(reason)") }
  }
}

/// A guest of the room. It has no name until it has entered one.
final class Guest {
  let connection: TCPHandle
  let bag = DisposeBag()
  var name: String?

  init(_ connection: TCPHandle) { self.connection = connection }

  func tell(_ line: String) { connection.write(Bytes(line + "\n")) }

  /// Sends the queued lines, and closes the connection when the peer has closed its side, or after `patience`.
  func leave(within patience: Duration) {
    bag.dispose()
    connection.close(within: patience)
  }

  /// Returns `line` without characters that could control the terminals of other guests.
  static func printable(_ line: String) -> String {
    String(
      String.UnicodeScalarView(
        line.unicodeScalars.filter { scalar in
          switch scalar.properties.generalCategory {
          case .control, .format, .lineSeparator, .paragraphSeparator: false
          default: true
          }
        }))
  }
}
