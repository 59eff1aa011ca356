# shellcheck shell=bash
# For the measurements in Java: builds what is missing, then `measure CLASS ARGUMENTS…` runs one.
home=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/..
home=$(realpath "$home")
dist=$home/spur-dist/target/spur
. "$home/dev/jdk.sh"

"$home/dev/build"
classes=$home/spur-testkit/target/classes
if [ ! -e "$classes/dev/spur/testkit/bench/SubmitRate.class" ] \
    || [ -n "$(find "$home/spur-testkit/src/main" -newer "$classes/dev/spur/testkit/bench/SubmitRate.class" -name '*.java' -print -quit)" ]; then
    (cd "$home" && dev/mvn -q -Dquick -Dmaven.test.skip=true -pl spur-testkit -am compile >&2)
fi

measure() {
    "$JAVA_HOME/bin/java" -Xmx2g -XX:+UseCompactObjectHeaders --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow \
        -cp "$classes:$dist/lib/*" "dev.spur.testkit.bench.$1" "${@:2}"
}
