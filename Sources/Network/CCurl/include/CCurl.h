// Wrappers for libcurl functions that Swift cannot call because they take variable arguments. The library is
// opened with the first URL (see CurlTransport) and never linked, so its functions are pointers here.
//
// Headers of libcurl are not included: the declarations here and in CurlLibrary.swift are its ABI, stable
// since libcurl.so.4 (2006). Building therefore does not need its development package.
#pragma once
#include <stddef.h>

// CURLcode curl_easy_setopt(CURL *, CURLoption, ...), CURLMcode curl_multi_setopt(CURLM *, CURLMoption, ...)
// and CURLcode curl_easy_getinfo(CURL *, CURLINFO, ...).
typedef int (*continuo_curl_variadic)(void *handle, int what, ...);

// Defines continuo_curl_NAME, which passes `call` one argument of a type.
#define CONTINUO_CURL(NAME, TYPE) \
  static inline int continuo_curl_##NAME(continuo_curl_variadic call, void *handle, int what, TYPE value) { \
    return call(handle, what, value); \
  }

CONTINUO_CURL(set_long, long)

CONTINUO_CURL(set_pointer, const void *)

// Receives the bytes of a body, or a header line.
typedef size_t (*continuo_curl_receive)(char *bytes, size_t size, size_t count, void *context);

CONTINUO_CURL(set_receive, continuo_curl_receive)

// The argument of curl_opensocket_callback: the resolved address to connect to.
struct continuo_curl_address {
  int family;
  int type;
  int protocol;
  unsigned int length;
  // A struct sockaddr with `length` bytes.
  unsigned char bytes[128];
};

// Seeks to another byte of the request's body.
typedef int (*continuo_curl_seek)(void *context, long offset, int origin);

CONTINUO_CURL(set_seek, continuo_curl_seek)

typedef int (*continuo_curl_open_socket)(void *context, int purpose, struct continuo_curl_address *address);

CONTINUO_CURL(set_open_socket, continuo_curl_open_socket)

// Called when a connection is established, before the request is sent.
typedef int (*continuo_curl_connected)(
    void *context, char *remote_address, char *local_address, int remote_port, int local_port);

CONTINUO_CURL(set_connected, continuo_curl_connected)

// Receives a copy of the data that libcurl reads and writes; its result is ignored.
typedef int (*continuo_curl_debug)(void *easy, int kind, char *bytes, size_t count, void *context);

CONTINUO_CURL(set_debug, continuo_curl_debug)

// Called during a transfer. A result other than 0 aborts it.
typedef int (*continuo_curl_progress)(void *context, long total, long received, long body, long sent);

CONTINUO_CURL(set_progress, continuo_curl_progress)

CONTINUO_CURL(get_pointer, void **)

CONTINUO_CURL(get_long, long *)

// struct curl_slist
struct continuo_curl_line {
  char *text;
  struct continuo_curl_line *next;
};

// struct curl_certinfo: lines `NAME:VALUE` about each certificate.
struct continuo_curl_certificates {
  int count;
  struct continuo_curl_line **lists;
};

// struct CURLMsg: the result of a finished transfer.
struct continuo_curl_message {
  int kind;
  void *easy;
  union {
    void *pointer;
    int result;
  } data;
};

// The first members of curl_version_info_data.
struct continuo_curl_version {
  int age;
  const char *text;
  // The version X.Y.Z as 0xXXYYZZ.
  unsigned int number;
};
