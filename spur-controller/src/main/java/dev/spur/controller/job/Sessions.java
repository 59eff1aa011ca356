package dev.spur.controller.job;

import dev.spur.api.v1.Session;
import dev.spur.controller.access.CloudUsers;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.CloudRules;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobSpec;
import dev.spur.model.SpurException;

/// Which jobs have a session: those of the cloud's users, whoever submits them, and those that ask
/// for one.
final class Sessions {
    private Sessions() {}

    static JobSpec settle(JobSpec spec, Session asked, Snapshot state) {
        var owner = spec.owner();
        var cloud = state.config().cloud();
        var isOfCloud = cloud != null && cloud.owns(owner.uid());
        if (!isOfCloud && !spec.launch().session()) {
            return spec;
        }
        if (Integer.toUnsignedLong(owner.uid()) < CloudRules.LOWEST_UID) {
            throw new SpurException(
                    ErrorCode.INVALID_USER,
                    "no session runs with a uid below %d".formatted(CloudRules.LOWEST_UID));
        }
        if (!asked.getUnixName().isEmpty() && !asked.getUnixName().equals(owner.userName())) {
            throw new SpurException(
                    ErrorCode.INVALID_USER,
                    "the session is asked for as %s, but the job is %s's"
                            .formatted(asked.getUnixName(), owner.userName()));
        }
        if (cloud == null || !isOfCloud) {
            return spec;
        }
        // The name is that of a directory on the nodes.
        CloudUsers.require(state, owner.uid(), owner.userName());
        var home = cloud.homeOf(owner.userName());
        return spec.withLaunch(launch -> {
            launch.session = true;
            launch.workDir = launch.workDir.isEmpty() ? home : launch.workDir;
        });
    }
}
