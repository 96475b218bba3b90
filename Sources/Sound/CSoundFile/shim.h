// The structures of libsndfile's interface. The library is opened with the first file that needs it (see
// SoundFileDecoding) and never linked, so its functions are pointers there.
//
// Headers of libsndfile are not included: the layout is part of its ABI, stable since libsndfile.so.1 (2002).
// Building therefore does not need its development package.
#pragma once
#include <stdint.h>

// SF_INFO.
struct continuo_sound_info {
  int64_t frames;
  int rate;
  int channels;
  int format;
  int sections;
  int seekable;
};

// SF_VIRTUAL_IO: the callbacks by which the library accesses a file.
struct continuo_sound_io {
  int64_t (*length)(void *context);
  int64_t (*seek)(int64_t offset, int origin, void *context);
  int64_t (*read)(void *bytes, int64_t count, void *context);
  int64_t (*write)(const void *bytes, int64_t count, void *context);
  int64_t (*tell)(void *context);
};
