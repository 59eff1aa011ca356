/// What the cloud's hosts may do: speak for their own users, a few minutes at a time, and for those
/// users of the cluster who said that they may.
///
/// Start here: [dev.spur.controller.cloud.CloudTokens], [dev.spur.controller.cloud.CloudLinks].
@NullMarked
package dev.spur.controller.cloud;

import org.jspecify.annotations.NullMarked;
