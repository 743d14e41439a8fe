// Wrappers for variadic functions of libmicrohttpd, which Swift does not import.
#pragma once
#include <microhttpd.h>
#include <string.h>

/// Decodes a path, or a name or value of a query, in place. The texts are C strings, so one with a zero byte is left as it
/// is: what comes after the byte would be lost.
static inline size_t MHD_decode(void *context, struct MHD_Connection *connection, char *text) {
  return strstr(text, "%00") ? strlen(text) : MHD_http_unescape(text);
}

/// Starts a server with one thread. `answer` is called for each part of a request and `complete` once at its end, both on
/// that thread and with `context`.
static inline struct MHD_Daemon *MHD_start_server(
    unsigned int flags, uint16_t port, unsigned int timeout, MHD_AccessHandlerCallback answer,
    MHD_RequestCompletedCallback complete, void *context) {
  return MHD_start_daemon(
      flags, port, NULL, NULL, answer, context, MHD_OPTION_NOTIFY_COMPLETED, complete, context,
      MHD_OPTION_CONNECTION_TIMEOUT, timeout, MHD_OPTION_UNESCAPE_CALLBACK, MHD_decode, NULL,
      // The fields of a request and of its response share this memory. Without room, the client gets no response.
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)65536, MHD_OPTION_END);
}

/// Returns the port of the server, or zero if it is unknown.
static inline uint16_t MHD_server_port(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
  return info ? info->port : 0;
}
