#pragma once
#include <pulse/pulseaudio.h>

// PA_INVALID_INDEX is a macro with a cast, which Swift's importer takes for an overflowing literal.
static const uint32_t continuo_pa_invalid_index = PA_INVALID_INDEX;
