/* Without a door: find a JDK, then become the same command in a JVM of its own. */
#define _GNU_SOURCE
#include "spur.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define JAVA_LEAST 25

/* The release a JDK states of itself in its file `release`, or 0. */
static int java_release(const char *home) {
    char path[PATH_MAX], line[256];
    snprintf(path, sizeof path, "%s/release", home);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return 0;
    }
    int release = 0;
    while (release == 0 && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "JAVA_VERSION=\"", 14) == 0) {
            release = atoi(line + 14);
        }
    }
    fclose(file);
    return release;
}

static bool is_suitable(const char *home) {
    char java[PATH_MAX];
    snprintf(java, sizeof java, "%s/bin/java", home);
    return access(java, X_OK) == 0 && java_release(home) >= JAVA_LEAST;
}

static bool first_suitable(const char *pattern, char home[PATH_MAX]) {
    glob_t found;
    bool ok = false;
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc && !ok; i++) {
            if (strlen(found.gl_pathv[i]) < PATH_MAX && is_suitable(found.gl_pathv[i])) {
                strcpy(home, found.gl_pathv[i]);
                ok = true;
            }
        }
        globfree(&found);
    }
    return ok;
}

/* The JDK to which `java` on the PATH leads. */
static bool java_on_path(char home[PATH_MAX]) {
    const char *path = getenv("PATH");
    if (path == NULL) {
        return false;
    }
    char *copy = strdup(path), *rest = copy;
    bool ok = false;
    for (char *directory; !ok && (directory = strsep(&rest, ":")) != NULL;) {
        char java[PATH_MAX];
        snprintf(java, sizeof java, "%s/java", directory);
        if (access(java, X_OK) != 0 || realpath(java, home) == NULL) {
            continue;
        }
        for (int i = 0; i < 2; i++) {
            char *slash = strrchr(home, '/');
            if (slash != NULL) {
                *slash = '\0';
            }
        }
        ok = is_suitable(home);
    }
    free(copy);
    return ok;
}

static void find_java(const char *prefix, char home[PATH_MAX]) {
    const char *given = getenv("JAVA_HOME");
    if (given != NULL && strlen(given) < PATH_MAX && is_suitable(given)) {
        strcpy(home, given);
        return;
    }
    snprintf(home, PATH_MAX, "%s/jdk", prefix);
    if (is_suitable(home) || java_on_path(home)) {
        return;
    }
    static const char *const places[] = {
        "/usr/lib/jvm/*25*", "/usr/lib/jvm/*", "/opt/jdk*", "/opt/java/*",
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (first_suitable(places[i], home)) {
            return;
        }
    }
    static const char *const below_home[] = {".sdkman/candidates/java/*", ".jdks/*"};
    const char *user = getenv("HOME");
    for (size_t i = 0; user != NULL && i < sizeof below_home / sizeof *below_home; i++) {
        char pattern[PATH_MAX];
        snprintf(pattern, sizeof pattern, "%s/%s", user, below_home[i]);
        if (first_suitable(pattern, home)) {
            return;
        }
    }
    fail("the local Spur service does not run, and to work without it a JDK %d is needed; none was found\n"
         "      (looked at JAVA_HOME, PATH, /usr/lib/jvm, /opt, ~/.sdkman, ~/.jdks). Start the service, install\n"
         "      a JDK %d or set JAVA_HOME to one.",
         JAVA_LEAST, JAVA_LEAST);
}

static int is_jar(const struct dirent *entry) {
    size_t length = strlen(entry->d_name);
    return length > 4 && strcmp(entry->d_name + length - 4, ".jar") == 0;
}

static bool is_later(struct timespec one, struct timespec other) {
    return one.tv_sec != other.tv_sec ? one.tv_sec > other.tv_sec : one.tv_nsec > other.tv_nsec;
}

/*
 * All jars of PREFIX/lib in a fixed order: the AOT cache is valid only for the class path it was made with.
 * `changed` becomes the time at which the last of them was put there.
 */
static char *class_path(const char *prefix, struct timespec *changed) {
    char directory[PATH_MAX];
    snprintf(directory, sizeof directory, "%s/lib", prefix);
    struct dirent **jars;
    int count = scandir(directory, &jars, is_jar, alphasort);
    if (count <= 0) {
        fail("the local Spur service does not run, and %s has no programs to work without it.\n"
             "      Start a cluster with './spur up' and then: eval \"$(./spur env)\"; or point SPUR_DOOR to a service.",
             directory);
    }
    size_t size = 1;
    for (int i = 0; i < count; i++) {
        size += strlen(directory) + strlen(jars[i]->d_name) + 2;
    }
    char *path = malloc(size), *end = path;
    if (path == NULL) {
        fail("out of memory");
    }
    *changed = (struct timespec){0};
    for (int i = 0; i < count; i++) {
        char *separator = end;
        end += sprintf(end, "%s%s/%s", i == 0 ? "" : ":", directory, jars[i]->d_name);
        struct stat jar;
        if (stat(separator + (i == 0 ? 0 : 1), &jar) == 0 && is_later(jar.st_ctim, *changed)) {
            *changed = jar.st_ctim;
        }
        free(jars[i]);
    }
    free(jars);
    return path;
}

void run_in_own_jvm(const char *prefix, const char *program, char **arguments) {
    char home[PATH_MAX], java[PATH_MAX + 16], cache[PATH_MAX + 64], terminal[64];
    find_java(prefix, home);
    snprintf(java, sizeof java, "%s/bin/java", home);

    /* dev/aot sets SPUR_AOT_OUTPUT for its training run, so that both use one command line. */
    const char *training = getenv("SPUR_AOT_OUTPUT");
    if (training != NULL) {
        snprintf(cache, sizeof cache, "-XX:AOTCacheOutput=%s", training);
    } else {
        snprintf(cache, sizeof cache, "-XX:AOTCache=%s/lib/spur-cli.aot", prefix);
    }
    /* The JVM may take classes from the cache of a former release without a look at the jars. */
    struct timespec changed;
    struct stat made;
    char *jars = class_path(prefix, &changed);
    bool has_cache =
        training != NULL || (stat(strchr(cache, '=') + 1, &made) == 0 && is_later(made.st_ctim, changed));

    unsigned short columns, rows;
    unsigned terminals = terminal_state(&columns, &rows);
    snprintf(terminal, sizeof terminal, "%u:%u:%u", terminals, columns, rows);

    size_t count = 0;
    while (arguments[count] != NULL) {
        count++;
    }
    char **argv = calloc(count + 24, sizeof *argv);
    if (argv == NULL) {
        fail("out of memory");
    }
    size_t n = 0;
    argv[n++] = java;
    if (has_cache) {
        argv[n++] = cache;
    }
    argv[n++] = (char *)"-XX:TieredStopAtLevel=1";
    argv[n++] = (char *)"-XX:+UseSerialGC";
    argv[n++] = (char *)"-XX:-UsePerfData";
    argv[n++] = (char *)"-XX:-MaxFDLimit"; /* jobs inherit the user's limits, not the JVM's */
    argv[n++] = (char *)"-Xlog:disable"; /* a stale cache is not the user's business */
    argv[n++] = (char *)"--enable-native-access=ALL-UNNAMED";
    argv[n++] = (char *)"-cp";
    argv[n++] = jars;
    argv[n++] = (char *)"dev.spur.cli.process.Main";
    argv[n++] = (char *)program;
    argv[n++] = terminal;
    memcpy(argv + n, arguments, count * sizeof *argv);
    execv(java, argv);
    fail("cannot run %s: %s", java, strerror(errno));
}
