// Publishes the lines of standard input, or prints messages. Printing connects again if the broker is lost; publishing ends.
import EventLoops
import Glibc
import MQTTStreams
import Streams

let arguments = CommandLine.arguments
guard arguments.count >= 5, let port = Int32(arguments[3]), ["publish", "watch"].contains(arguments[1]) else {
  print("usage: mqtt-lines publish HOST PORT TOPIC <lines\n       mqtt-lines watch HOST PORT FILTER [COUNT]")
  exit(64)
}
let broker = MQTTBroker(arguments[2], port: port)
let bag = DisposeBag()
var status: Int32 = 0

func end(_ termination: Termination<MQTTError>) {
  if case .failed(let error) = termination {
    print("mqtt-lines: \(error)")
    status = 1
  }
  Loop.main.stop()
}

if arguments[1] == "publish" {
  // The window pauses the sequence, so lines are read only as fast as the broker acknowledges them.
  let lines = Stream.sequence(AnyIterator { readLine() })
  lines.map { MQTTMessage(arguments[4], $0) }
    .publish(to: broker)
    .observe(next: { _ in }, termination: end)
    .dispose(in: bag)
} else {
  let count = arguments.count > 5 ? Int(arguments[5]) : nil
  broker.messages(arguments[4])
    .doOn(failed: { print("mqtt-lines: \($0); trying again") })
    .retry(.max, delay: .seconds(1))
    .take(count ?? .max)
    .observe(next: { print("\($0.topic): \($0.text)") }, termination: end)
    .dispose(in: bag)
}

// Messages from another thread do not keep the loop running, so a timer does.
let presence = try TimerHandle()
presence.start(after: .seconds(3600), every: .seconds(3600)) {}
Loop.main.run()
bag.dispose()
Loop.main.shutdown()
exit(status)
