package dev.spur.engine.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spur.engine.state.Command;
import java.util.List;
import org.junit.jupiter.api.Test;

/// `golden/names-*.txt` list what stored bytes of each release may contain: members of families
/// with their tags, and constants of enums.
class TagsTest {
    private final Vocabulary vocabulary = Vocabulary.of(Command.class, StatePart.class);

    @Test
    void everyMemberOfEveryFamilyHasATag() {
        assertThat(vocabulary.families())
                .contains(Command.class, StatePart.class)
                .allSatisfy(family ->
                        assertThat(Formats.membersOf(family))
                                .allSatisfy(member ->
                                        assertThat(Tags.ALL.of(family, member)).isPositive()));
    }

    @Test
    void namesAndTagsOfEveryReleaseAreStillKnown() {
        assertThat(vocabulary.lines()).containsAll(Golden.lines("names-3.txt"));
    }

    @Test
    void latestGoldenFileKnowsEveryName() {
        assertThat(Golden.lines("names-3.txt"))
                .as("append what is new, in this or the next golden file")
                .containsExactlyInAnyOrderElementsOf(vocabulary.lines());
    }

    @Test
    void tagThatIsTakenIsRefused() {
        var family =
                Tags.family(
                        Command.class,
                        Tags.tag(1, Command.NodeLost.class),
                        Tags.tag(1, Command.JobGone.class));

        assertThatThrownBy(() -> new Tags(List.of(family)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("comes twice");
    }
}
