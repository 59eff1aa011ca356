package dev.spur.model.notation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/// The expectations were taken from what sbatch of Slurm 22.05 makes of such lines.
class ShellWordsTest {
    @Test
    void blanksSeparateWords() {
        assertThat(ShellWords.split("  -N 2\t--exclusive "))
                .containsExactly("-N", "2", "--exclusive");
    }

    @Test
    void quotesKeepBlanksTogetherAndMayStandInsideAWord() {
        assertThat(ShellWords.split("--comment=\"a b\" -J 'x y'z \"it's\""))
                .containsExactly("--comment=a b", "-J", "x yz", "it's");
    }

    @Test
    void emptyQuotesAreAnEmptyWord() {
        assertThat(ShellWords.split("-J \"\" -N 1")).containsExactly("-J", "", "-N", "1");
    }

    @Test
    void backslashTakesTheNextCharacterAsItIsInBothKindsOfQuotes() {
        assertThat(ShellWords.split("a\\#b \"a\\\"b\" 'a\\' b' \"a\\nb\" end\\"))
                .containsExactly("a#b", "a\"b", "a' b", "anb", "end");
    }

    @Test
    void blankEndsAWordEvenAfterABackslash() {
        assertThat(ShellWords.split("a\\ b")).containsExactly("a", "b");
    }

    @Test
    void hashOutsideQuotesEndsTheLineEvenInsideAWord() {
        assertThat(ShellWords.split("-N 2 # two nodes")).containsExactly("-N", "2");
        assertThat(ShellWords.split("-J a#b c")).containsExactly("-J", "a");
        assertThat(ShellWords.split("-J 'a#b' c")).containsExactly("-J", "a#b", "c");
        assertThat(ShellWords.split("# nothing")).isEmpty();
    }

    @Test
    void openQuoteIsRefused() {
        assertThatThrownBy(() -> ShellWords.split("--comment=\"a"))
                .isInstanceOf(NotationException.class)
                .hasMessageContaining("Unmatched `\"`");
    }
}
