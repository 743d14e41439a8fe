// curl/curl.h --pkg-config libcurl --thread caller
// curl_url_get/part memory=text frees=curl_free
import Curl

let transfer = try Curl.easyInit()
try transfer.easySetopt(.url, "file:///etc/passwd")
try transfer.easySetopt(.nobody, 1)
try transfer.easyPerform()
print(try transfer.easyGetinfo(.contentLengthDownloadT) > 100, try transfer.easyGetinfo(.effectiveUrl) ?? "none")
try transfer.easySetopt(.url, "file:///nowhere")
do { try transfer.easyPerform() } catch { print(error) }

let url = try Curlu.url()
try url.set(.url, part: "https://example.com:8443/a?b=c", flags: 0)
print(try url.get(.host, flags: 0) ?? "none", try url.get(.port, flags: 0) ?? "none")
do { try url.set(.port, part: "many", flags: 0) } catch { print(error) }
