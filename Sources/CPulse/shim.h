#pragma once
#include <pulse/pulseaudio.h>

// PA_INVALID_INDEX is a cast in a macro: Swift's importer sees an overflowing literal there.
static const uint32_t continuo_pa_invalid_index = PA_INVALID_INDEX;
