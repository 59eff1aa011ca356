/*
 * The door's protocol, version 2. Its other half is dev.spur.cli.door.Frame.
 *
 * A frame is: u32 length of the payload, u8 type, u32 stream, payload of at most 64 KiB. Numbers are
 * big-endian. The stub speaks first: HELLO, then ARGUMENTS and ENVIRONMENT (strings, each ended by a
 * NUL, cut into frames wherever it fits), then RUN. The door answers with frames for the streams
 * below and ends with EXIT, or with REFUSED at any time.
 *
 * A command that can be gone on with leaves values (MEMORY) with the stub. When the door ends, the stub
 * connects again for a while and repeats its greeting, with these values and the offset from which it
 * will repeat the standard input that was not released.
 *
 * Flow control: a sender may have at most its credit of unconfirmed bytes on a stream. Streams
 * towards the stub start with DOOR_WINDOW, streams towards the door with none (OPEN brings some).
 */
#ifndef SPUR_PROTOCOL_H
#define SPUR_PROTOCOL_H

#define DOOR_MAGIC 0x53505552u /* "SPUR" */
#define DOOR_VERSION 2
#define DOOR_HEADER 9
#define DOOR_PAYLOAD 65536
#define DOOR_WINDOW 262144

enum stub_frame {
    HELLO = 1,        /* magic, version, umask, terminal, limits, resumptions, offset of input, program, directory */
    ARGUMENTS = 2,    /* also from the door, before SPAWN */
    ENVIRONMENT = 3,  /* also from the door, before SPAWN */
    RUN = 4,
    DATA = 5,         /* both ways; an empty payload from the stub is the end of the file */
    CREDIT = 6,       /* both ways: u32 bytes the other side may send in addition */
    SIGNAL = 7,       /* u8 number, u16 columns, u16 rows */
    OPENED = 8,       /* u32 errno, u32 mode, u32 uid, u32 gid, u64 size, u64 modified, text of errno */
    CLOSED = 9,       /* u32 errno of the first failed write, text */
    CHILD_STARTED = 10, /* u32 errno, text; in a greeting: a child that an earlier door has started */
    CHILD_ENDED = 11, /* u8 exit code, u8 signal or 0 */
    MEMORY = 12,      /* the stream is a key; from the door: keep this; from the stub, before RUN: kept */
};

enum door_frame {
    REFUSED = 32, /* u8 exit code, text */
    EXIT = 33,    /* u8 exit code */
    CATCH = 34,   /* u64 mask of signals to report instead of dying by them */
    OPEN = 35,    /* u8 mode, u32 credit, path */
    CLOSE = 36,
    SPAWN = 37,
    KILL = 38, /* u8 signal */
    RAW = 39,  /* u8 on or off */
    RELEASE = 40, /* u64: standard input before this offset need not be kept any more */
    ADOPT = 41,   /* asks for CHILD_ENDED of a child that was started for an earlier door */
};

/* The memory that is a text for the user: what becomes of the command's work when no door comes back. */
#define FAREWELL 0

enum open_mode { OPEN_READ = 0, OPEN_TRUNCATE = 1, OPEN_APPEND = 2, OPEN_STATUS = 3 };

#endif
