// Contains no declarations: linking this module makes CommandLine.arguments work without /proc.
#pragma once
