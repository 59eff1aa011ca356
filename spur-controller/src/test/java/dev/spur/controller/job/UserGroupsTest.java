package dev.spur.controller.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.controller.cluster.ClusterConfigMapper;
import dev.spur.engine.rules.ClusterState;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.Actor;
import dev.spur.model.Role;
import dev.spur.runtime.config.ConfigFile;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class UserGroupsTest {
    private static final Actor ALICE =
            new Actor(1002, "alice", "login", Role.USER, Actor.Origin.DOOR);

    private final List<Integer> asked = new ArrayList<>();
    private Set<String> answer = Set.of("users", "physics");
    private Instant now = Instant.parse("2026-11-15T12:00:00Z");
    private final UserGroups groups =
            new UserGroups(
                    uid -> {
                        asked.add(uid);
                        return answer;
                    },
                    () -> now);

    @Test
    void actorIsToldOfTheGroupsThatPartitionsWantOnly() {
        var actor = groups.of(ALICE, openTo("physics", "chemistry"));

        assertThat(actor).isEqualTo(ALICE.withGroups(List.of("physics")));
    }

    @Test
    void groupsThatTheActorClaimsCountForNothing() {
        var claimed = ALICE.withGroups(List.of("chemistry"));

        assertThat(groups.of(claimed, openTo("chemistry")).groups()).isEmpty();
        assertThat(groups.of(claimed, openTo()).groups()).isEmpty();
    }

    @Test
    void nobodyIsAskedWhereNoPartitionWantsToKnow() {
        groups.of(ALICE, openTo());

        assertThat(asked).isEmpty();
    }

    @Test
    void newMemberIsKnownAfterAMinute() {
        groups.of(ALICE, openTo("chemistry"));
        answer = Set.of("chemistry");

        now = now.plus(Duration.ofSeconds(59));
        assertThat(groups.of(ALICE, openTo("chemistry")).groups()).isEmpty();
        now = now.plus(Duration.ofSeconds(2));
        assertThat(groups.of(ALICE, openTo("chemistry")).groups()).containsExactly("chemistry");
        assertThat(asked).containsExactly(ALICE.uid(), ALICE.uid());
    }

    @Test
    void thisHostKnowsTheGroupsOfRoot() {
        assertThat(UserGroups.ofThisHost(gid -> "group-" + gid).apply(0)).contains("group-0");
    }

    private Snapshot openTo(String... names) {
        var state = new ClusterState();
        var config =
                ConfigFile.parse(
                        """
                        cluster_name = "test"

                        [[partitions]]
                        name = "project"
                        nodes = "ALL"
                        allow_groups = [%s]
                        """
                                .formatted(
                                        Stream.of(names)
                                                .map(name -> '"' + name + '"')
                                                .collect(Collectors.joining(","))));
        state.apply(
                new Command.ApplyConfig(
                        now, "", Actor.CLUSTER, ClusterConfigMapper.toModel(config.config())));
        return state.publish();
    }
}
