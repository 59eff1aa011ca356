package dev.spur.agent.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class CpuBindingTest {
    private static List<String> cpus(String wish, String own, int perTask, int tasks) {
        var binding = CpuBinding.parse(wish, own, perTask);
        return IntStream.range(0, tasks).mapToObj(task -> binding.of(task).cpus()).toList();
    }

    @Test
    void aMapGivesEachTaskOnANodeItsProcessorInTurn() {
        assertThat(cpus("map_cpu:0,1", "", 1, 3)).containsExactly("0", "1", "0");
        assertThat(cpus("map_cpu:0x2", "", 1, 1)).containsExactly("2");
    }

    @Test
    void aMaskGivesATaskSeveral() {
        assertThat(cpus("mask_cpu:0x1,0xc", "", 1, 2)).containsExactly("0", "2,3");
        assertThat(cpus("mask_cpu:f0", "", 1, 1)).containsExactly("4,5,6,7");
    }

    @Test
    void ranksAreProcessors() {
        assertThat(cpus("rank", "", 1, 2)).containsExactly("0", "1");
        assertThat(cpus("rank", "4-5", 1, 3)).containsExactly("4", "5", "4");
    }

    @Test
    void coresAreSharedOutByWhatATaskWasPromised() {
        assertThat(cpus("cores", "0-3", 2, 2)).containsExactly("0,1", "2,3");
    }

    @Test
    void noTaskLeavesTheProcessorsOfItsStep() {
        assertThat(cpus("map_cpu:0,5", "4-7", 1, 2)).containsExactly("", "5");
    }

    @Test
    void withoutAWishEveryTaskIsWhereItsStepIs() {
        assertThat(cpus("", "0-3", 1, 2)).containsExactly("", "");
        assertThat(cpus("none", "0-3", 1, 1)).containsExactly("");
        assertThat(CpuBinding.parse("", "0-3", 1).variables()).isEmpty();
    }

    @Test
    void aNumberBeyondEveryMachineIsNoProcessor() {
        assertThat(cpus("map_cpu:9999", "", 1, 1)).containsExactly("");
    }

    @Test
    void howMuchToTellMayComeBeforeOrBehindWhatToBindTo() {
        var binding = CpuBinding.parse("none,v", "0-3", 1);

        assertThat(binding.of(0).report()).isEqualTo("cpu-bind=NONE");
        assertThat(binding.variables())
                .containsEntry("SLURM_CPU_BIND_VERBOSE", "verbose")
                .containsEntry("SLURM_CPU_BIND_TYPE", "none");
        assertThat(cpus("map_cpu:0,1,quiet", "", 1, 2)).containsExactly("0", "1");
    }

    @Test
    void whoAsksIsToldWhere() {
        assertThat(CpuBinding.parse("verbose", "", 1).of(0).report()).isEqualTo("cpu-bind=MASK");
        assertThat(CpuBinding.parse("v,map_cpu:1", "", 1).of(0).report())
                .isEqualTo("cpu-bind=MAP ");
        assertThat(CpuBinding.parse("verbose,cores", "0-1", 1).of(0).report())
                .isEqualTo("cpu-bind-cores=MASK");
        assertThat(CpuBinding.parse("verbose,none", "", 1).of(0).report())
                .isEqualTo("cpu-bind=NONE");
        assertThat(CpuBinding.parse("quiet,rank", "", 1).of(0).report()).isEmpty();
    }

    @Test
    void tasksFindTheirBindingInTheirEnvironment() {
        assertThat(CpuBinding.parse("verbose,mask_cpu:0x1,0x2", "", 1).variables())
                .containsEntry("SLURM_CPU_BIND", "verbose,mask_cpu:0x1,0x2")
                .containsEntry("SLURM_CPU_BIND_VERBOSE", "verbose")
                .containsEntry("SLURM_CPU_BIND_TYPE", "mask_cpu:")
                .containsEntry("SLURM_CPU_BIND_LIST", "0x1,0x2");
    }
}
