package dev.spur.testkit.real;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Every program has a page, and every option that it tells with `--help` is there. `dev/man`
/// brings the pages up to date.
class ManualPagesTest {
    private static final Path PAGES = Path.of("../docs/man");
    private static final Pattern OPTION = Pattern.compile("(?m)(?<= )--[A-Za-z0-9-]+");

    private final RealCluster cluster = SharedCluster.get();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sbatch.1",
                "srun.1",
                "salloc.1",
                "sattach.1",
                "squeue.1",
                "scancel.1",
                "sinfo.1",
                "scontrol.1",
                "sacct.1",
                "sacctmgr.1",
                "sshare.1",
                "sprio.1",
                "sreport.1",
                "sdiag.1",
                "sstat.1",
                "seff.1",
                "spurctld.8",
                "spurd.8",
                "spurdbd.8",
                "spurrestd.8",
                "spur-door.8"
            })
    void pageHasEveryOption(String page) throws IOException {
        var text = Files.readString(PAGES.resolve(page)).replace("\\-", "-");

        var help = cluster.run(page.substring(0, page.lastIndexOf('.')), "--help");

        var options = OPTION.matcher(help.out()).results().map(MatchResult::group).toList();
        assertThat(options)
                .contains("--help")
                .allSatisfy(option -> assertThat(text).contains(option));
    }

    @ParameterizedTest
    @ValueSource(strings = {"spur", "sbatch", "spurd", "spur.conf"})
    void manFindsThePageOnceTheShellIsPointedToTheCluster(String name) {
        var found = cluster.shell(". %s; man -w %s".formatted(environment(), name));

        assertThat(found.out()).as(found.err()).contains("/share/man/man");
    }

    private Path environment() {
        return cluster.local().layout().environment();
    }
}
