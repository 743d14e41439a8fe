import ArgumentParser
import Headwater
import MQTTStreams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

// `fleet`: merges the file changes of several machines into one stream, over an MQTT broker.
//
//   fleet node alpha /srv/notes --database /var/lib/fleet/alpha.db --host broker     on each machine, with another name
//   fleet collector --database /var/lib/fleet/all.db --host broker                   on one machine
//   fleet changes --database /var/lib/fleet/all.db --after 100                       prints what is stored
//
// The collector prints a line for each change: its number in the merged stream, the node, its number there, and the change.
//
//   1 alpha 1 created milk
//   2 beta 1 created eggs
//   3 alpha 2 renamed milk -> notes/milk
//
// Each change is stored once, in order for each node, even if a process or the broker is killed. README.md explains why.
//
// Exit codes: 0 after SIGTERM or SIGINT; 1 if the program cannot continue, with the reason on standard error; 64 for wrong
// arguments.

struct Fleet: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet", abstract: "Merge the file changes of several machines into one stream.",
    subcommands: [NodeCommand.self, CollectorCommand.self, ChangesCommand.self])
}

struct MeetingOptions: ParsableArguments {
  @Option(help: "The MQTT broker: a name or an address.")
  var host = "127.0.0.1"

  @Option(help: "The port of the broker.")
  var port: Int32 = 1883

  @Option(help: "The first level of all MQTT topics. Each collector needs its own.")
  var topic = "fleet"

  func validate() throws {
    if !(1...65_535).contains(port) { throw ValidationError("--port takes 1 to 65535") }
    try checkLevel(topic, "--topic")
  }

  var meeting: Meeting { Meeting(broker: MQTTBroker(host, port: port, keepAlive: 10), topic: topic) }
}

/// Throws unless `text` can be a level of an MQTT topic.
nonisolated func checkLevel(_ text: String, _ what: String) throws {
  if text.isEmpty || text.utf8.count > 100 || text.contains(where: { "/+#\0 \n".contains($0) }) {
    throw ValidationError("\(what) takes 1 to 100 bytes without blanks, /, +, and #")
  }
}

struct NodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "node", abstract: "Watch a directory and send its changes.")

  @Argument(help: "The name of this node, which must be unique.")
  var name: String

  @Argument(help: "The directory to watch.")
  var directory: String

  @Option(help: "The database of the unconfirmed changes. It must not be in the directory.")
  var database: String

  @OptionGroup var options: MeetingOptions

  func validate() throws { try checkLevel(name, "NAME") }

  func run() throws { MainActor.assumeIsolated { runNode(self) } }
}

struct CollectorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "collector", abstract: "Store and print the changes of all nodes.")

  @Option(help: "The database of the merged stream.")
  var database: String

  @OptionGroup var options: MeetingOptions

  func run() throws { MainActor.assumeIsolated { runCollector(self) } }
}

struct ChangesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "changes", abstract: "Print the changes that the collector has stored.")

  @Option(help: "The database of the collector, which may be running.")
  var database: String

  @Option(help: "The number after which to begin.")
  var after: Int64 = 0

  func run() throws { MainActor.assumeIsolated { runChanges(self) } }
}

Fleet.main()
