/* What the parts of a command that runs through the door share: one process, one command, one loop. */
#ifndef SPUR_SESSION_H
#define SPUR_SESSION_H

#include "bytes.h"

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#define STREAMS 256

/* session.c: ends because no door came back, telling what becomes of the command's work. */
__attribute__((noreturn)) void give_up(int code);

/* greeting.c */
void greet(const char *program, char **arguments, unsigned resumptions);

/* signals.c */
extern sigset_t original_mask; /* of whoever called us */
extern int signals;            /* readable when a signal waits, or -1 */
extern bool raw;               /* the terminal is */
void catch_signals(uint64_t mask);
void update_signals(void);
void read_signals(void);
int64_t now_ms(void);
int signal_timeout(void); /* for poll: until a signal that waits for the command's end ends us */
void set_raw(bool on);

/* children.c */
void collect_argument(const uint8_t *payload, size_t length);
void collect_variable(const uint8_t *payload, size_t length);
void spawn(uint32_t id);
void adopt_child(uint32_t id);
void append_children(struct bytes *greeting);
void signal_child(uint32_t id, int number);
void reap(void);
bool has_children(void);
void wait_for_children(void);
void forget_unfinished_spawn(void);

/* streams.c */
void start_standard_streams(void);
void begin_streams_again(void);
void take_data(uint32_t id, const uint8_t *data, size_t length);
void add_credit(uint32_t id, uint32_t credit);
void open_file(uint32_t id, const uint8_t *payload, size_t length);
void close_stream(uint32_t id);
void write_everything(void);
nfds_t poll_streams(struct pollfd *polled);
void serve_streams(const struct pollfd *polled, nfds_t count);

/* memory.c: what a door leaves with us for the next one */
void remember(uint32_t key, const uint8_t *value, size_t length);
bool remembers_anything(void);
const struct bytes *farewell(void);
void append_memories(struct bytes *greeting);
void keep_input(const uint8_t *data, size_t length);
void release_input(uint64_t offset);
uint64_t input_offset(void);
void send_input_again(void);
size_t send_kept_input(size_t most);
bool input_has_ended(void);

#endif
