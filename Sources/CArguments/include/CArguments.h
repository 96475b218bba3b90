// Nothing to call: who depends on this module has CommandLine.arguments where /proc is not mounted, too.
#pragma once
