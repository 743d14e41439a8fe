import Headwater

/// Those who are there, and what they say to each other.
///
/// Ownership: Room ===> guests ===> bag ===> the lines of a connection, which refer to the room without owning it.
final class Room {
  /// How long somebody who is sent away may take to read why.
  private static let patience = Duration.seconds(5)

  private let lineLimit: Int
  private let queueLimit: Int
  private var guests: [ObjectIdentifier: Guest] = [:]

  /// Makes an empty room. The limits are in bytes.
  init(lineLimit: Int, queueLimit: Int) {
    self.lineLimit = lineLimit
    self.queueLimit = queueLimit
  }

  /// Lets somebody in, who is asked for a name first.
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

  /// Sends everybody away.
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
      guest.tell("* Here are: \(guests.values.compactMap(\.name).sorted().joined(separator: ", "))")
    default: tellAll("\(name): \(text)", except: guest)
    }
  }

  private func introduce(_ guest: Guest, as name: String) {
    if name == "/quit" { return remove(guest, telling: "* Bye.", "") }
    if !(1...20).contains(name.count) || !name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }) {
      return guest.tell("* A name has 1 to 20 letters, digits, - and _. Who are you?")
    }
    if guests.values.contains(where: { $0.name?.lowercased() == name.lowercased() }) {
      return guest.tell("* \(name) is here already. Who are you?")
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

  /// Tells everybody the same bytes. Those who do not read are sent away: nobody waits for them.
  private func tellAll(_ line: String, except one: Guest? = nil) {
    let bytes = Bytes(line + "\n")
    for guest in guests.values where guest.name != nil && guest !== one { guest.connection.write(bytes) }
    for guest in guests.values where guest.connection.isFull {
      remove(guest, telling: "* You read too slowly. Bye.", "reads too slowly")
    }
  }

  private func remove(_ guest: Guest, telling word: String?, _ reason: String) {
    // Telling the others may have removed it.
    guard guests.removeValue(forKey: ObjectIdentifier(guest)) != nil else { return }
    if let word { guest.tell(word) }
    guest.leave(within: Room.patience)
    if let name = guest.name { tellAll("* \(name) \(reason)") }
  }
}

/// Somebody in the room, who has no name at first.
final class Guest {
  let connection: TCPHandle
  let bag = DisposeBag()
  var name: String?

  init(_ connection: TCPHandle) { self.connection = connection }

  func tell(_ line: String) { connection.write(Bytes(line + "\n")) }

  /// Closes the connection when what it was told has been read.
  func leave(within patience: Duration) {
    bag.dispose()
    connection.close(within: patience)
  }

  /// The text without what would draw on the terminals of others.
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
