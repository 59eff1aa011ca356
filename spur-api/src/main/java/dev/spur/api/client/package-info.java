/// How processes reach the controller and the agents: channels with the cluster's TLS, failover
/// between controllers, leader redirect, safe retries, and who the caller is. Start at
/// [ControllerClient].
@NullMarked
package dev.spur.api.client;

import org.jspecify.annotations.NullMarked;
