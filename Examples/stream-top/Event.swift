import Foundation

/// An event of a recording, one line of what the recorded program sends.
nonisolated struct Event: Decodable {
  struct Arguments: Decodable {
    var name: String?
    var parent: Int?
    var waiting: Int?
    var count: Int?
    /// How long a posted job has waited, in microseconds.
    var waited: Double?
    /// The ID of the subscription that receives an element.
    var s: Int?
  }

  var ph: String
  var id: String?
  var cat: String?
  var name: String?
  var tid: Int?
  /// Microseconds of the recorded program's clock.
  var ts: Double?
  var dur: Double?
  var args: Arguments?

  private static let decoder = JSONDecoder()

  /// Reads a line. Returns nil for one that is no event.
  init?(line: String) {
    guard let event = try? Self.decoder.decode(Event.self, from: Data(line.utf8)) else { return nil }
    self = event
  }
}
