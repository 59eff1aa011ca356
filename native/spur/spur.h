/* What the files of the stub share. */
#ifndef SPUR_H
#define SPUR_H

#include <stdbool.h>
#include <stddef.h>

/* Prints "spur: ..." and ends the program with code 1, the terminal restored. */
__attribute__((noreturn, format(printf, 1, 2))) void fail(const char *format, ...);

/* Gives the terminal back as it was found. Safe to call at any time. */
void restore_terminal(void);

/* Runs the command through the connected door; does not return. */
__attribute__((noreturn)) void run_through_door(const char *program, char **arguments);

/* Runs the command in a JVM of its own; does not return. */
__attribute__((noreturn)) void run_in_own_jvm(const char *prefix, const char *program, char **arguments);

/* The bit mask of the standard descriptors that are terminals, and the window size of the first one. */
unsigned terminal_state(unsigned short *columns, unsigned short *rows);

#endif
