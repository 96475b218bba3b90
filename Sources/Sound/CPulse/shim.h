#pragma once
#include <dlfcn.h>
#include <pulse/pulseaudio.h>

// PA_INVALID_INDEX is a macro with a cast, which Swift's importer takes for an overflowing literal.
static const uint32_t continuo_pa_invalid_index = PA_INVALID_INDEX;

// The functions of libpulse that are called, without the prefix pa_. They are looked up when the library is opened;
// it is not linked.
#define CONTINUO_PULSE(DO) DO(channel_map_init_extend) DO(context_connect) DO(context_disconnect) \
  DO(context_errno) DO(context_get_index) DO(context_get_sink_info_by_name) DO(context_get_sink_info_list) \
  DO(context_get_sink_input_info_list) DO(context_get_state) DO(context_move_sink_input_by_name) \
  DO(context_new_with_proplist) DO(context_rttime_new) DO(context_set_sink_input_volume) \
  DO(context_set_state_callback) DO(context_set_subscribe_callback) DO(context_subscribe) DO(context_unref) \
  DO(operation_cancel) DO(operation_unref) DO(proplist_free) DO(proplist_new) DO(proplist_sets) \
  DO(rtclock_now) DO(stream_begin_write) DO(stream_cancel_write) DO(stream_connect_playback) \
  DO(stream_cork) DO(stream_disconnect) DO(stream_drain) DO(stream_flush) DO(stream_get_device_name) \
  DO(stream_get_index) DO(stream_get_state) DO(stream_get_timing_info) DO(stream_is_suspended) \
  DO(stream_new_with_proplist) DO(stream_set_buffer_attr_callback) DO(stream_set_latency_update_callback) \
  DO(stream_set_moved_callback) DO(stream_set_started_callback) DO(stream_set_state_callback) \
  DO(stream_set_suspended_callback) DO(stream_set_underflow_callback) DO(stream_set_write_callback) \
  DO(stream_unref) DO(stream_update_timing_info) DO(stream_writable_size) DO(stream_write) DO(strerror) \
  DO(threaded_mainloop_free) DO(threaded_mainloop_get_api) DO(threaded_mainloop_in_thread) \
  DO(threaded_mainloop_lock) DO(threaded_mainloop_new) DO(threaded_mainloop_set_name) \
  DO(threaded_mainloop_start) DO(threaded_mainloop_stop) DO(threaded_mainloop_unlock)

typedef struct {
#define CONTINUO_DECLARE(name) __typeof__(pa_##name) *name;
  CONTINUO_PULSE(CONTINUO_DECLARE)
#undef CONTINUO_DECLARE
} continuo_pulse;

/// Looks up all functions in a library. Returns the name of the first that it lacks; NULL if it has all.
static inline const char *continuo_pulse_find(continuo_pulse *pulse, void *library) {
#define CONTINUO_FIND(name) \
  if (!(*(void **)&pulse->name = dlsym(library, "pa_" #name))) return "pa_" #name;
  CONTINUO_PULSE(CONTINUO_FIND)
#undef CONTINUO_FIND
  return 0;
}

// The following work without the library.

/// Returns the same volume for each channel.
static inline pa_cvolume continuo_pa_volume(uint8_t channels, pa_volume_t volume) {
  pa_cvolume volumes = {.channels = channels};
  for (uint8_t i = 0; i < channels && i < PA_CHANNELS_MAX; i++) volumes.values[i] = volume;
  return volumes;
}

/// Returns the volume of the loudest channel.
static inline pa_volume_t continuo_pa_loudest(pa_cvolume volumes) {
  pa_volume_t loudest = PA_VOLUME_MUTED;
  for (uint8_t i = 0; i < volumes.channels && i < PA_CHANNELS_MAX; i++)
    if (volumes.values[i] > loudest) loudest = volumes.values[i];
  return loudest;
}
