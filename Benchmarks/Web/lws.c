// lws PORT [CERTIFICATE KEY]: answers hello with libwebsockets on libuv, on one thread; with TLS also in HTTP/2.
#include <libwebsockets.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

static int answer(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length) {
  unsigned char buffer[LWS_PRE + 2048], *start = buffer + LWS_PRE, *place = start, *end = buffer + sizeof buffer - 1;
  switch (reason) {
    case LWS_CALLBACK_HTTP:
      if (lws_add_http_common_headers(wsi, 200, "text/plain", 6, &place, end) ||
          lws_finalize_write_http_header(wsi, start, &place, end))
        return 1;
      lws_callback_on_writable(wsi);
      return 0;
    case LWS_CALLBACK_HTTP_WRITEABLE:
      memcpy(start, "hello\n", 6);
      if (lws_write(wsi, start, 6, LWS_WRITE_HTTP_FINAL) != 6) return 1;
      return lws_http_transaction_completed(wsi) ? -1 : 0;
    default:
      return lws_callback_http_dummy(wsi, reason, user, in, length);
  }
}

static const struct lws_protocols protocols[] = {{"http", answer, 0, 0, 0, NULL, 0}, {NULL, NULL, 0, 0, 0, NULL, 0}};

int main(int count, char **arguments) {
  uv_loop_t loop;
  uv_loop_init(&loop);
  void *loops[1] = {&loop};
  struct lws_context_creation_info info;
  memset(&info, 0, sizeof info);
  signal(SIGPIPE, SIG_IGN);
  lws_set_log_level(LLL_ERR, NULL);
  info.port = atoi(arguments[1]);
  info.iface = "127.0.0.1";
  info.protocols = protocols;
  info.options = LWS_SERVER_OPTION_LIBUV;
  info.foreign_loops = loops;
  if (count == 4) {
    info.options |= LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
    info.ssl_cert_filepath = arguments[2];
    info.ssl_private_key_filepath = arguments[3];
  }
  struct lws_context *context = lws_create_context(&info);
  if (!context) return 1;
  uv_run(&loop, UV_RUN_DEFAULT);
  lws_context_destroy(context);
}
