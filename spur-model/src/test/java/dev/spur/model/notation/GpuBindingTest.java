package dev.spur.model.notation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GpuBindingTest {
    private static final List<Integer> GPUS = List.of(4, 5, 6, 7);

    @ParameterizedTest
    @CsvSource({
        "single:1, 0, 4",
        "single:1, 3, 7",
        "single:2, 3, 5",
        "single:2, 9, 4",
        "per_task:2, 1, 6 7",
        "per_task:2, 2, ''",
        "'map_gpu:3,1', 0, 7",
        "'map_gpu:3,1', 1, 5",
        "'map_gpu:3,1', 2, 7",
        "'mask_gpu:0x3,c', 0, 4 5",
        "'mask_gpu:0x3,c', 1, 6 7",
        "'verbose,mask_gpu:0x3', 1, 4 5",
        "none, 1, 4 5 6 7",
        "CLOSEST, 1, 4 5 6 7",
    })
    void givesEachTaskItsGpus(String text, int task, String seen) {
        var visible = GpuBinding.parse(text).visible(task, GPUS);

        assertThat(String.join(" ", visible.stream().map(String::valueOf).toList()))
                .isEqualTo(seen);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "blah",
                "verbose",
                "v,closest",
                "map_gpu:x",
                "map_gpu:",
                "mask_gpu:NaN",
                "verbose,mask_gpu:NaN",
                "per_task:0",
                "single:x"
            })
    void refusesWhatMeansNothing(String text) {
        assertThatThrownBy(() -> GpuBinding.parse(text)).isInstanceOf(NotationException.class);
    }

    @Test
    void bindsNothingToATaskOfANodeWithoutGpus() {
        assertThat(GpuBinding.parse("single:1").visible(2, List.of())).isEmpty();
        assertThat(GpuBinding.parse("per_task:3").visible(2, List.of())).isEmpty();
    }
}
