package dev.spur.model.hostlist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spur.model.notation.NotationException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostlistTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    node[1-3,7],gpu[01-03] | node1 node2 node3 node7 gpu01 gpu02 gpu03
                    n[01-3]                | n01 n02 n03
                    n[1-3,2]               | n1 n2 n3 n2
                    n[098-101]             | n098 n099 n100 n101
                    r[0-1]n[0-2]           | r0n0 r0n1 r0n2 r1n0 r1n1 r1n2
                    a[1-2]b[1-2]c[1-2]-ib  | a1b1c1-ib a1b1c2-ib a1b2c1-ib a1b2c2-ib a2b1c1-ib a2b1c2-ib a2b2c1-ib a2b2c2-ib
                    n[1-2].site.org,login  | n1.site.org n2.site.org login
                    [1-3]                  | 1 2 3
                    a,,b c                 | a b c
                    """)
    void listIsExpandedInItsOwnOrder(String list, String hosts) {
        assertThat(Hostlist.parse(list).hosts()).containsExactly(hosts.split(" "));
    }

    @Test
    void emptyTextIsAnEmptyList() {
        assertThat(Hostlist.parse("").hosts()).isEmpty();
        assertThat(Hostlist.EMPTY).hasToString("");
    }

    /// The right-hand side is what `scontrol show hostlist` of Slurm 22.05 prints.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    node1,node2,node3,node7,gpu01,gpu02 | node[1-3,7],gpu[01-02]
                    n1,n1                               | n[1,1]
                    n1,n2,n2,n3                         | n[1-2,2-3]
                    n1,n2,n007,n8                       | n[1-2,007,8]
                    n9,n10                              | n[9-10]
                    n099,n100                           | n[099-100]
                    n0099,n100                          | n[0099,100]
                    n99,n0100                           | n[99,0100]
                    n01,n2                              | n[01,2]
                    n3,n2,n1                            | n[3,2,1]
                    n1,x,n2                             | n1,x,n2
                    n1,m1,n2                            | n1,m1,n2
                    a1-ib,a2-ib                         | a1-ib,a2-ib
                    r[0-1]n[0-3]                        | r0n[0-3],r1n[0-3]
                    5,6                                 | [5-6]
                    n99999999998,n99999999999           | n[99999999998-99999999999]
                    """)
    void listIsCompressedAsSlurmDoesIt(String hosts, String compressed) {
        assertThat(Hostlist.parse(hosts)).hasToString(compressed);
    }

    /// The right-hand side is what `scontrol show hostlistsorted` of Slurm 22.05 prints.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    node3,node1,node2 | node[1-3]
                    n1,x,n2           | n[1-2],x
                    n1,m1,n2          | m1,n[1-2]
                    n[1-3,2]          | n[1-2,2-3]
                    n1,n2,n007,n8     | n[1-2,8,007]
                    n01,n2            | n[2,01]
                    n10,n9            | n[9-10]
                    """)
    void sortedListIsInTheOrderPeopleCount(String hosts, String sorted) {
        assertThat(Hostlist.parse(hosts).sorted()).hasToString(sorted);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "n[1-",
                "n]",
                "n[3-1]",
                "n[]",
                "n[a-b]",
                "n[1,,2]",
                "n[1-2[3-4]]",
                "n[1-3:2]",
                "n[1-2]x[3"
            })
    void malformedListIsRefusedAndNamed(String list) {
        assertThatThrownBy(() -> Hostlist.parse(list))
                .isInstanceOf(NotationException.class)
                .hasMessageContaining(list)
                .hasMessageContaining("n[1-3,7]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"n[1-1000001]", "n[0-999999999999]", "a[0-999]b[0-999]c[0-9]"})
    void moreThanAMillionHostsAreRefused(String list) {
        assertThatThrownBy(() -> Hostlist.parse(list))
                .isInstanceOf(NotationException.class)
                .hasMessageContaining("more than 100000 hosts");
    }

    @Test
    void expandingWhatWasCompressedGivesTheSameHosts() {
        var random = new Random(96);
        for (var round = 0; round < 2_000; round++) {
            var hosts = randomHosts(random);

            assertThat(Hostlist.parse(Hostlist.compress(hosts)).hosts()).isEqualTo(hosts);
        }
    }

    @Test
    @Timeout(10)
    void hundredThousandHostsTakeMilliseconds() {
        var text = "rack[00-99]n[0001-1000]";
        assertThat(Hostlist.parse(text).size()).isEqualTo(100_000); // the first run also warms up

        var start = System.nanoTime();
        var compressed = Hostlist.parse(text).toString();
        var took = Duration.ofNanos(System.nanoTime() - start);

        assertThat(compressed).startsWith("rack00n[0001-1000],rack01n[0001-1000]");
        assertThat(took).isLessThan(Duration.ofSeconds(1));
    }

    private static List<String> randomHosts(Random random) {
        var prefixes = List.of("n", "gpu", "r1c", "", "x-");
        var hosts = new ArrayList<String>();
        var prefix = "n";
        long number = 0;
        for (var i = random.nextInt(30); i >= 0; i--) {
            prefix =
                    random.nextInt(4) == 0 ? prefixes.get(random.nextInt(prefixes.size())) : prefix;
            number =
                    random.nextInt(3) == 0
                            ? random.nextLong(1 + random.nextLong(100_000))
                            : number + 1;
            var width = random.nextInt(3) == 0 ? 1 + random.nextInt(5) : 1;
            hosts.add(
                    prefix
                            + ("%0" + width + "d").formatted(number)
                            + (random.nextInt(10) == 0 ? "z" : ""));
        }
        return hosts;
    }

    @Test
    void millionsOfMillionsAreRefusedBeforeAnyIsNamed() {
        var named = new ArrayList<String>();

        assertThatThrownBy(() -> Hostlist.forEach("n[0-9999][0-9999][0-9999]", named::add))
                .isInstanceOf(NotationException.class)
                .hasMessageContaining("more than 100000 hosts");
        assertThatThrownBy(() -> Hostlist.forEach("a,b[1-99999],c[1-99999]", named::add))
                .hasMessageContaining("more than 100000 hosts");
        assertThat(named).isEmpty();
    }

    @Test
    void hostsAreHandedOnOneByOne() {
        var named = new ArrayList<String>();

        Hostlist.forEach("a[08-10]b[1,3],c", named::add);

        assertThat(named)
                .containsExactly("a08b1", "a08b3", "a09b1", "a09b3", "a10b1", "a10b3", "c");
    }

    @Test
    void aRangeOfEndlessNamesIsRefused() {
        assertThatThrownBy(() -> Hostlist.parse("n".repeat(60_000) + "[1-100000]"))
                .hasMessageContaining("longer than 255");
    }
}
