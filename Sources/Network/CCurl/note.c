// Declares in the executable that libcurl is opened at run time, for packagers and tools ("ELF dlopen
// metadata", uapi-group.org/specifications).
#include <stdint.h>

#define TEXT                                                                                         \
  "[{\"feature\":\"network\",\"description\":\"Playing from http and https\","                       \
  "\"priority\":\"recommended\",\"soname\":[\"libcurl.so.4\",\"libcurl-gnutls.so.4\"]}]"

__attribute__((used, section(".note.dlopen"), aligned(4))) static const struct {
  uint32_t name_size;
  uint32_t text_size;
  uint32_t type;
  char name[4];
  _Alignas(4) char text[sizeof(TEXT)];
} continuo_curl_note = {4, sizeof(TEXT), 0x407c0c0a, "FDO", TEXT};
