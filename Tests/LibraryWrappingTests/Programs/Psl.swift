// libpsl.h --pkg-config libpsl --thread caller
import Psl

if let list = PslLibrary.builtin() {
  for domain in ["www.example.co.uk", "co.uk"] {
    print(domain, list.registrableDomain(domain) ?? "none", list.isPublicSuffix(domain))
  }
  print(list.isCookieDomainAcceptable("www.example.com", cookieDomain: "com"))
}
do { _ = try Ctx.loadFile("/nowhere") } catch { print(error.function) }
