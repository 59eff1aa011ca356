/* The connection to the local door. */
#ifndef SPUR_DOOR_H
#define SPUR_DOOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The connected socket, or -1 while there is none. */
extern int door;

/* Connects to the first door that listens: the chosen one (SPUR_DOOR), or that of the installation or the system. */
bool connect_to_door(const char *prefix);

/* Connects once more to where the door was. */
bool connect_again(void);

void disconnect(void);

/* False when the door no longer listens: it may have left a word in our inbox. */
bool send_all(const uint8_t *data, size_t length);

void send_frame(int type, uint32_t stream, const void *payload, size_t length);

/* Answers with an errno and its text. */
void send_result(int type, uint32_t stream, int error);

__attribute__((noreturn)) void door_misbehaves(const char *how);

#endif
