// tls-idle PORT CERTIFICATE KEY: accepts connections with OpenSSL alone, and keeps them until a signal ends it.
#include <arpa/inet.h>
#include <openssl/ssl.h>
#include <stdlib.h>

int main(int count, char **arguments) {
  if (count < 4) return 64;
  SSL_CTX *context = SSL_CTX_new(TLS_server_method());
  if (SSL_CTX_use_certificate_chain_file(context, arguments[2]) != 1) return 1;
  if (SSL_CTX_use_PrivateKey_file(context, arguments[3], SSL_FILETYPE_PEM) != 1) return 1;
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  int listener = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(atoi(arguments[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 511) != 0) return 1;
  for (;;) {
    SSL *ssl = SSL_new(context);
    SSL_set_fd(ssl, accept(listener, NULL, NULL));
    // A connection without TLS is only there to see that the server listens.
    if (SSL_accept(ssl) != 1) SSL_free(ssl);
  }
}
