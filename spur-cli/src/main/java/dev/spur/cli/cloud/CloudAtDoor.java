package dev.spur.cli.cloud;

import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.LinkCloudUserRequest;
import dev.spur.cli.Connector;
import dev.spur.cli.Failure;
import dev.spur.cli.Invocation;
import dev.spur.cli.Tool;
import dev.spur.cli.submission.Refused;
import java.util.List;

/// `spur cloud link CODE`: says to the cluster that whoever made the code in the cloud is this
/// user. Everything else of `spur cloud` would have the door open connections of its own to
/// wherever a caller likes, so it is not here.
public final class CloudAtDoor implements Tool {
    private final Connector connector;

    public CloudAtDoor(Connector connector) {
        this.connector = connector;
    }

    @Override
    public int run(Invocation in) {
        if (in.args().isEmpty() || !in.args().getFirst().equals("link")) {
            throw new Failure(
                    "only \"spur cloud link CODE\" goes by this host's Spur service. Run the program spur of this release, or set SPUR_NO_DOOR=1");
        }
        return link(in, connector, in.args().subList(1, in.args().size()));
    }

    static int link(Invocation in, Connector connector, List<String> words) {
        if (words.size() != 1 || !words.getFirst().matches("[A-Za-z0-9-]{6,64}")) {
            throw new Failure(
                    "which code? Make one in the cloud (Settings, or POST /api/users/me/link), then say spur cloud link CODE here");
        }
        var request =
                LinkCloudUserRequest.newBuilder()
                        .setRequestId(in.newRequestId())
                        .setCode(words.getFirst().toUpperCase(java.util.Locale.ROOT))
                        .build();
        try {
            connector.connect(in).call(controller -> controller.linkCloudUser(request));
        } catch (ControllerException refusal) {
            throw new Failure(Refused.message(refusal));
        }
        in.out()
                .println(
                        "The cluster knows the code. Confirm it in the cloud within 10 minutes: sessions then run as %s."
                                .formatted(in.caller().name()));
        return 0;
    }
}
