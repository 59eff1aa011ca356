/* The personality of the program that owns one step. */
#ifndef SPUR_SUPERVISOR_H
#define SPUR_SUPERVISOR_H

#include <stddef.h>

/* Runs the step that the message describes until it has ended and somebody has taken note of it.
 * The connection is the one the launch came on; it goes on as an ordinary client that hears of
 * every status change. */
_Noreturn void supervise(int connection, const unsigned char *message, size_t length);

#endif
