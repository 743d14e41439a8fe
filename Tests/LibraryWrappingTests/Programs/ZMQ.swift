// zmq.h --pkg-config libzmq --thread caller
// zmq_ctx_new/result type=Ctx
// */context_ type=Ctx
// zmq_socket/0 type=Ctx
// zmq_socket/result type=Socket
// zmq_socket owns=yes
// */s_ type=Socket
// zmq_recv/buf_ memory=out[len_:result]
import ZMQ

let context = try Ctx()
let pull = try context.socket(ZMQConstant.pull)
try pull.bind("inproc://letters")
let push = try context.socket(ZMQConstant.push)
try push.connect("inproc://letters")
for word in ["one", "two", ""] {
  try push.send(Array(word.utf8).span, flags: 0)
}
for _ in 0..<3 { print(String(decoding: try pull.recv(upTo: 16, flags: 0), as: UTF8.self).count) }
do { try push.connect("nowhere") } catch { print(error) }
try push.close()
try pull.close()
try context.term()
