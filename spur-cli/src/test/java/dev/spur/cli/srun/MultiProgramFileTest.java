package dev.spur.cli.srun;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spur.cli.RememberingInvocation;
import org.junit.jupiter.api.Test;

class MultiProgramFileTest {
    @Test
    void eachTaskGetsTheProgramOfItsLine() throws Exception {
        var in =
                RememberingInvocation.of("srun")
                        .file(
                                "programs",
                                "# who does what\n0 boss 'a b'\n1-2 worker %t %o\n* rest\n");

        var programs = MultiProgramFile.read(in, "programs", 4);

        assertThat(programs)
                .extracting(program -> String.join("|", program.getArgvList()))
                .containsExactly("boss|a b", "worker|1|0", "worker|2|1", "rest");
    }

    @Test
    void everyTaskNeedsProgram() {
        var in = RememberingInvocation.of("srun").file("programs", "0 boss\n");

        assertThatThrownBy(() -> MultiProgramFile.read(in, "programs", 2))
                .hasMessage("Configuration file programs invalid, no record for task id 1");
    }
}
