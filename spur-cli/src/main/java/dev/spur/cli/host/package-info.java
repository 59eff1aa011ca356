/// What both edges, the door and [dev.spur.cli.process.Main], learn from this host: names of users
/// and groups, and what a caller's environment says about time zone and character set.
@org.jspecify.annotations.NullMarked
package dev.spur.cli.host;
