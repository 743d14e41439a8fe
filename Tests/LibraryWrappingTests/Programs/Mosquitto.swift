// mosquitto.h --pkg-config libmosquitto --thread caller --drive mosquitto
import Headwater
import Mosquitto

// Subscribes, publishes, and receives, with the broker at the socket in the directory of the first argument.
_ = try MosquittoLibrary.libInit()
let client = try Mosquitto(id: nil, cleanSession: true)
let bag = DisposeBag()
client.connects().observeNext { code in
  print("connected:", MosquittoLibrary.connackString(code) ?? "?")
  _ = try? client.subscribe("news", qos: 1)
}.dispose(in: bag)
client.subscribes().observeNext { answer in
  print("granted:", answer.grantedQos)
  for text in ["rain", "sun"] { _ = try? client.publish("news", payload: Array(text.utf8).span, qos: 1, retain: false) }
}.dispose(in: bag)
client.messages().ignoreNil().observeNext { message in
  print(message.topic ?? "?", String(decoding: message.payload, as: UTF8.self))
  if message.payload.starts(with: "sun".utf8) { bag.dispose() }
}.dispose(in: bag)
try client.connect(CommandLine.arguments[1] + "/socket", port: 0, keepalive: 60)
client.driving().observeFailed { print($0) }.dispose(in: bag)
Loop.current.run()
do throws(MosquittoFailure) {
  _ = try client.subscribe("a/#/b", qos: 0)
} catch {
  print(error)
}
