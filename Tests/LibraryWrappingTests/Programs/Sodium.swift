// sodium.h --pkg-config libsodium --thread caller
// crypto_secretbox_easy/c memory=out[mlen+crypto_secretbox_MACBYTES]
// crypto_secretbox_open_easy/m memory=out[clen-crypto_secretbox_MACBYTES]
// crypto_secretbox_*/n memory=in[crypto_secretbox_NONCEBYTES]
// crypto_secretbox_*/k memory=in[crypto_secretbox_KEYBYTES]
// crypto_secretbox_keygen/k memory=out[crypto_secretbox_KEYBYTES]
// randombytes_buf/buf memory=out[size]
// crypto_generichash/out memory=out[outlen]
// sodium_bin2hex/hex memory=text[hex_maxlen]
// sodium_bin2hex/result memory=null
import Sodium

_ = try SodiumLibrary.sodiumInit()
let key = SodiumLibrary.secretboxKeygen()
let nonce = SodiumLibrary.randombytesBuf(upTo: 24)
let box = try SodiumLibrary.secretboxEasy(Array("a secret".utf8).span, n: nonce.span, k: key.span)
print(
  box.count, String(decoding: try SodiumLibrary.secretboxOpenEasy(box.span, n: nonce.span, k: key.span), as: UTF8.self))
var forged = box
forged[20] ^= 1
do { _ = try SodiumLibrary.secretboxOpenEasy(forged.span, n: nonce.span, k: key.span) } catch { print(error) }
let hash = try SodiumLibrary.generichash(upTo: 16, in: Array("Headwater".utf8).span, key: Span())
print(SodiumLibrary.sodiumBin2hex(upTo: 33, bin: hash.span).count)
