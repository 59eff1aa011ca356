/*
 * Preloaded into initdb, and only there: it refuses to run as a number without an entry in the user database, though it
 * needs the name for nothing once the superuser's is given. Such a number is what a service becomes where no account
 * `spur` exists, and what containers often run as.
 */
#include <pwd.h>
#include <unistd.h>

struct passwd *getpwuid(uid_t uid)
{
    static struct passwd entry = {
        .pw_name = "spur", .pw_passwd = "x", .pw_gecos = "", .pw_dir = "/", .pw_shell = "/bin/false"};
    entry.pw_uid = uid;
    entry.pw_gid = getgid();
    return &entry;
}
