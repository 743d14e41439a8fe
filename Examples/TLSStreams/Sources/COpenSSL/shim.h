#pragma once
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

// Macros that cast their arguments, as functions. Swift does not import them.
static inline void headwater_ssl_set_up(SSL_CTX *context, int min_version, int max_version) {
  SSL_CTX_set_min_proto_version(context, min_version);
  SSL_CTX_set_max_proto_version(context, max_version);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
}
static inline void headwater_ssl_keep_sessions(SSL_CTX *context, int (*added)(SSL *, SSL_SESSION *)) {
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(context, added);
}
static inline long headwater_ssl_set_server_name(SSL *ssl, const char *name) {
  return SSL_set_tlsext_host_name(ssl, name);
}
static inline void headwater_ssl_on_server_name(
    SSL_CTX *context, int (*requested)(SSL *, int *, void *), void *argument) {
  SSL_CTX_set_tlsext_servername_callback(context, requested);
  SSL_CTX_set_tlsext_servername_arg(context, argument);
}
static inline int headwater_ssl_use(SSL *ssl, X509 *certificate, EVP_PKEY *key, STACK_OF(X509) *chain) {
  return SSL_use_certificate(ssl, certificate) == 1 && SSL_use_PrivateKey(ssl, key) == 1
    && (chain == 0 || SSL_set1_chain(ssl, chain) == 1);
}

// Prints a name by RFC 2253, in UTF-8.
static inline void headwater_print_name(BIO *output, const X509_NAME *name) {
  X509_NAME_print_ex(output, name, 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB);
}

// A stack of certificates, of which Swift imports no function. The stack owns the certificates.
static inline STACK_OF(X509) *headwater_certificates_new(void) { return sk_X509_new_null(); }
static inline int headwater_certificates_add(STACK_OF(X509) *stack, X509 *certificate) {
  return sk_X509_push(stack, certificate);
}
static inline int headwater_certificates_count(const STACK_OF(X509) *stack) { return stack ? sk_X509_num(stack) : 0; }
static inline X509 *headwater_certificates_get(const STACK_OF(X509) *stack, int index) {
  return sk_X509_value(stack, index);
}
static inline void headwater_certificates_free(STACK_OF(X509) *stack) { sk_X509_pop_free(stack, X509_free); }

// Asks nobody for the password of a key: without a password, reading an encrypted key fails.
static inline int headwater_password(char *buffer, int size, int writing, void *password) {
  size_t length = password ? strlen((const char *)password) : 0;
  if (length == 0 || length > (size_t)size) return -1;
  memcpy(buffer, password, length);
  return (int)length;
}
