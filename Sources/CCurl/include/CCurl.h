// Calls of libcurl that Swift cannot make: two of its functions take a variable argument. The library is opened when the
// first URL is played (see CurlTransport) and never linked, so its functions are pointers here.
//
// No header of libcurl is included: what is declared here and in CurlLibrary.swift is its ABI, which has been stable since
// libcurl.so.4 (2006), and nobody needs its development package to build.
#pragma once
#include <stddef.h>

// CURLcode curl_easy_setopt(CURL *, CURLoption, ...), CURLMcode curl_multi_setopt(CURLM *, CURLMoption, ...) and
// CURLcode curl_easy_getinfo(CURL *, CURLINFO, ...).
typedef int (*continuo_curl_variadic)(void *handle, int what, ...);

static inline int continuo_curl_set_long(continuo_curl_variadic set, void *handle, int option, long value) {
  return set(handle, option, value);
}

static inline int continuo_curl_set_pointer(continuo_curl_variadic set, void *handle, int option, const void *value) {
  return set(handle, option, value);
}

// The bytes of a body, or a line of a head.
typedef size_t (*continuo_curl_receive)(char *bytes, size_t size, size_t count, void *context);

static inline int continuo_curl_set_receive(
    continuo_curl_variadic set, void *handle, int option, continuo_curl_receive value) {
  return set(handle, option, value);
}

// What curl_opensocket_callback gets: the address that is connected to, as it was resolved.
struct continuo_curl_address {
  int family;
  int type;
  int protocol;
  unsigned int length;
  // A struct sockaddr of that length.
  unsigned char bytes[128];
};

// Moves to another byte of the request's body.
typedef int (*continuo_curl_seek)(void *context, long offset, int origin);

static inline int continuo_curl_set_seek(continuo_curl_variadic set, void *handle, int option, continuo_curl_seek value) {
  return set(handle, option, value);
}

typedef int (*continuo_curl_open_socket)(void *context, int purpose, struct continuo_curl_address *address);

static inline int continuo_curl_set_open_socket(
    continuo_curl_variadic set, void *handle, int option, continuo_curl_open_socket value) {
  return set(handle, option, value);
}

// Called when a connection is there, before the request is sent.
typedef int (*continuo_curl_connected)(
    void *context, char *remote_address, char *local_address, int remote_port, int local_port);

static inline int continuo_curl_set_connected(
    continuo_curl_variadic set, void *handle, int option, continuo_curl_connected value) {
  return set(handle, option, value);
}

// Gets a copy of what libcurl reads and writes; its result is not looked at.
typedef int (*continuo_curl_debug)(void *easy, int kind, char *bytes, size_t count, void *context);

static inline int continuo_curl_set_debug(
    continuo_curl_variadic set, void *handle, int option, continuo_curl_debug value) {
  return set(handle, option, value);
}

// Called whenever a transfer has done something. Anything but 0 ends it.
typedef int (*continuo_curl_progress)(void *context, long total, long received, long body, long sent);

static inline int continuo_curl_set_progress(
    continuo_curl_variadic set, void *handle, int option, continuo_curl_progress value) {
  return set(handle, option, value);
}

static inline int continuo_curl_get_pointer(continuo_curl_variadic get, void *handle, int info, void **value) {
  return get(handle, info, value);
}

static inline int continuo_curl_get_long(continuo_curl_variadic get, void *handle, int info, long *value) {
  return get(handle, info, value);
}

// struct CURLMsg: what a transfer that has ended says.
struct continuo_curl_message {
  int kind;
  void *easy;
  union {
    void *pointer;
    int result;
  } data;
};

// The front of curl_version_info_data.
struct continuo_curl_version {
  int age;
  const char *text;
  // 0xXXYYZZ for X.Y.Z.
  unsigned int number;
};
