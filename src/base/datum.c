/*
 * Public values: reading, writing, comparing. See datum.h.
 */
#include "base/datum.h"

#include <strings.h>
