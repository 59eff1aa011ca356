package dev.spur.controller.access;

import dev.spur.engine.state.Snapshot;
import dev.spur.model.CloudRules;
import dev.spur.model.ErrorCode;
import dev.spur.model.SpurException;
import java.util.regex.Pattern;

/// For whom the cloud may speak: users with a uid that it gives, and those who linked their account
/// to it.
public final class CloudUsers {
    /// What every Unix takes for a name.
    private static final Pattern NAME = Pattern.compile("[a-z_][a-z0-9_-]{0,31}");

    private CloudUsers() {}

    public static void require(Snapshot state, int uid, String name) {
        var number = Integer.toUnsignedLong(uid);
        if (number < CloudRules.LOWEST_UID) {
            throw new SpurException(
                    ErrorCode.INVALID_USER,
                    "the cloud never acts for uids below %d, and this is %d"
                            .formatted(CloudRules.LOWEST_UID, number));
        }
        var linked = state.credentials().linkedUsers().get(uid);
        if (linked != null) {
            if (!linked.userName().equals(name)) {
                throw new SpurException(
                        ErrorCode.INVALID_USER,
                        "uid %d is linked to the cloud as %s, not under another name"
                                .formatted(number, linked.userName()));
            }
            return;
        }
        var cloud = state.config().cloud();
        if (cloud == null || !cloud.owns(uid)) {
            throw new SpurException(
                    ErrorCode.INVALID_USER,
                    "uid %d is none that the cloud may give (%s), and no user of the cluster has linked it. To link yours: spur cloud link CODE"
                            .formatted(
                                    number,
                                    cloud == null
                                            ? "cloud.uid_range is not set in spur.conf"
                                            : "cloud.uid_range is %d-%d"
                                                    .formatted(cloud.firstUid(), cloud.lastUid())));
        }
        if (!NAME.matcher(name).matches()) {
            throw new SpurException(
                    ErrorCode.BAD_NAME,
                    "the name of a user of the cloud is at most 32 small letters, digits, _ and -, and begins with a letter or _");
        }
    }
}
