#pragma once
// Turns off the macros that check types at the call: the functions below already have the right types.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

// Swift does not import the variadic functions curl_easy_setopt, curl_multi_setopt, and curl_easy_getinfo. There is one function
// for each type of value, because curl would misread a value of another type.
static inline CURLcode headwater_easy_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode headwater_easy_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode headwater_easy_set_string(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode headwater_easy_set_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode headwater_easy_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode headwater_easy_set_write(CURL *easy, CURLoption option, curl_write_callback value) {
  return curl_easy_setopt(easy, option, value);
}
static inline void *headwater_easy_private(CURL *easy) {
  char *value = 0;
  return curl_easy_getinfo(easy, CURLINFO_PRIVATE, &value) == CURLE_OK ? value : 0;
}
static inline CURLMcode headwater_multi_set_socket(CURLM *multi, curl_socket_callback function, void *context) {
  CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
  return code != CURLM_OK ? code : curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, function);
}
static inline CURLMcode headwater_multi_set_timer(CURLM *multi, curl_multi_timer_callback function, void *context) {
  CURLMcode code = curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
  return code != CURLM_OK ? code : curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, function);
}
// Macros, as functions with curl's types.
static inline curl_socket_t headwater_socket_timeout(void) { return CURL_SOCKET_TIMEOUT; }
static inline long headwater_keep_301_and_302(void) { return CURL_REDIR_POST_301 | CURL_REDIR_POST_302; }
static inline size_t headwater_write_pause(void) { return CURL_WRITEFUNC_PAUSE; }
static inline CURLcode headwater_global_init(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }
