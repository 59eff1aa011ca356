# Sourced by the project's scripts: sets JAVA_HOME to a JDK 25 (or newer) and puts it first on the PATH.
# Looks at JAVA_HOME, then `java` on the PATH, then where systems keep their JVMs.

spur_java_major() {
    "$1/bin/java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1
}

spur_find_jdk() {
    local candidate major on_path
    on_path=$(command -v javac 2>/dev/null) && on_path=$(dirname "$(dirname "$(readlink -f "$on_path")")")
    for candidate in "${JAVA_HOME:-}" "${on_path:-}" /usr/lib/jvm/*25* /usr/lib/jvm/* /opt/jdk* /opt/java/* \
        "$HOME"/.sdkman/candidates/java/* "$HOME"/.jdks/*; do
        [ -n "$candidate" ] && [ -x "$candidate/bin/javac" ] || continue
        major=$(spur_java_major "$candidate")
        if [ -n "$major" ] && [ "$major" -ge 25 ]; then
            JAVA_HOME=$candidate
            return 0
        fi
    done
    return 1
}

if ! spur_find_jdk; then
    cat >&2 <<'TEXT'
spur: no JDK 25 found (looked at JAVA_HOME, PATH, /usr/lib/jvm, /opt, ~/.sdkman, ~/.jdks).
      Install one, for example Debian's or Temurin's package of JDK 25, or set JAVA_HOME to it, and try again.
TEXT
    exit 1
fi
export JAVA_HOME
export PATH="$JAVA_HOME/bin:$PATH"
