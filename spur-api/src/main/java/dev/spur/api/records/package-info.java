/// What questions about records mean, the same for jobs that the controllers know and for those of
/// the database.
@org.jspecify.annotations.NullMarked
package dev.spur.api.records;
