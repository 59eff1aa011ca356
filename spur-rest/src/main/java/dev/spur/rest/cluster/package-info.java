/// The cluster, as callers of the REST APIs see it.
@org.jspecify.annotations.NullMarked
package dev.spur.rest.cluster;
