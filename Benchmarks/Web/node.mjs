// node node.mjs PLAIN SECURE CERTIFICATE KEY: answers hello, without TLS in HTTP/1.1, and with it also in HTTP/2.
import { readFileSync } from 'node:fs'
import http from 'node:http'
import http2 from 'node:http2'

const [plain, secure, certificate, key] = process.argv.slice(2)
function answer(request, response) {
  response.writeHead(200, { 'Content-Type': 'text/plain' })
  response.end('hello\n')
}
http.createServer(answer).listen(plain, '127.0.0.1')
http2
  .createSecureServer({ cert: readFileSync(certificate), key: readFileSync(key), allowHTTP1: true }, answer)
  .listen(secure, '127.0.0.1')
