// xxhash.h --pkg-config libxxhash
import XXHash

let state = try Xxh64State.createState()
try state.reset(0)
try state.update(Array("hel".utf8).span)
try state.update(Array("lo".utf8).span)
print(String(state.digest, radix: 16))
