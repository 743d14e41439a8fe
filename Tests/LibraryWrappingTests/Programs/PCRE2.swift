// pcre2.h --pkg-config libpcre2-8 -D PCRE2_CODE_UNIT_WIDTH=8
import PCRE2

let code = try PCRE2Library.compile8(Array("(\\w+)@(\\w+)".utf8).span, 0, nil).result
let found = try code.matchDataCreateFromPattern8(nil)
let text = Array("mail joe@example now".utf8)
print(code.match8(text.span, 0, 0, found, nil), try found.substringLengthBynumber8(2))
do {
  _ = try PCRE2Library.compile8(Array("(".utf8).span, 0, nil)
} catch {
  print(error.function)
}
