package dev.spur.controller.member;

import dev.spur.api.client.CallerIdentity;
import dev.spur.api.client.Channels;
import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.PingRequest;
import dev.spur.controller.raft.RaftConfig;
import dev.spur.controller.raft.Survivor;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// `spurctld --alone`: the others are lost, and this one goes on without them. Refused while any of
/// them answers, since two halves of a cluster would otherwise both decide.
public final class LastController {
    private static final Logger LOG = LoggerFactory.getLogger(LastController.class);
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(5);

    private LastController() {}

    public static void giveUpTheOthers(Survivor survivor, Channels channels) {
        var others = survivor.others();
        if (others.isEmpty()) {
            LOG.atWarn().log("this controller is alone already: --alone was not needed");
            return;
        }
        requireSilence(others, channels);
        survivor.giveUpTheOthers();
        LOG.atWarn()
                .addKeyValue("lost", others.stream().map(RaftConfig.Peer::name).toList())
                .log(
                        "goes on without the other controllers. They must never be started again with what they have");
    }

    private static void requireSilence(List<RaftConfig.Peer> others, Channels channels) {
        var addresses = others.stream().map(Neighbours::address).toList();
        var answers =
                ControllerClient.withPatience(
                                channels, addresses, new CallerIdentity.Host(), Duration.ZERO)
                        .each(
                                addresses,
                                ANSWER_WITHIN,
                                controller -> controller.ping(PingRequest.getDefaultInstance()));
        for (var i = 0; i < answers.size(); i++) {
            if (answers.get(i).answer() != null || isAnswer(answers.get(i).failure())) {
                throw new IllegalArgumentException(
                        "%s answers, so the other controllers are not lost. Start without --alone, or stop %s first if it must be given up"
                                .formatted(others.get(i).name(), others.get(i).name()));
            }
        }
    }

    private static boolean isAnswer(@Nullable ControllerException failure) {
        return failure != null && !failure.code().isEmpty();
    }
}
