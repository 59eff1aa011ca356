/// Scripts and environments, by the SHA-256 of their bytes, in files outside of the heap: a queue
/// of 100,000 jobs holds hashes, not texts. Start with [dev.spur.controller.blob.BlobStore].
@NullMarked
package dev.spur.controller.blob;

import org.jspecify.annotations.NullMarked;
