/// Measurements that a shell script cannot make: many connections and calls from one process. Each
/// class is a program of its own; `bench/api` and `bench/streams` start them. They print figures
/// and assert nothing.
@NullMarked
package dev.spur.testkit.bench;

import org.jspecify.annotations.NullMarked;
