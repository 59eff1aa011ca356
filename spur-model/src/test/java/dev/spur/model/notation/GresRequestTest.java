package dev.spur.model.notation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GresRequestTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    gpu                   | gpu:1
                    gpu:2                 | gpu:2
                    gpu:tesla             | gpu:tesla:1
                    gpu:tesla:4           | gpu:tesla:4
                    gpu:3090              | gpu:3090
                    gpu:3090ti:2          | gpu:3090ti:2
                    gres:gpu:tesla:1      | gpu:tesla:1
                    gres/gpu:tesla=1      | gpu:tesla:1
                    gpu:2,lustre:4K       | gpu:2,lustre:4096
                    bandwidth:eth:1m      | bandwidth:eth:1048576
                    gpu:0                 | gpu:0
                    gpu:a:1,gpu:b:2,gpu:a | gpu:a:2,gpu:b:2
                    """)
    void requestIsReadItemByItem(String text, String normal) {
        assertThat(GresRequest.parse(text)).hasToString(normal);
    }

    @ParameterizedTest
    @CsvSource({"2, gpu:2", "tesla:2, gpu:tesla:2", "'tesla:2,volta', 'gpu:tesla:2,gpu:volta:1'"})
    void gpuOptionsNeedNoName(String text, String normal) {
        assertThat(GresRequest.parseGpus(text)).hasToString(normal);
    }

    @Test
    void noneAsksForNothing() {
        assertThat(GresRequest.parse("none")).isEqualTo(GresRequest.NONE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ",",
                "gpu:",
                ":2",
                "gpu:a:b",
                "gpu:a:2:3",
                "gpu:-1",
                "2",
                "gpu 2",
                "gpu:2,",
                "gpu:99999999999P"
            })
    void malformedRequestIsRefusedAndNamed(String text) {
        assertThatThrownBy(() -> GresRequest.parse(text))
                .isInstanceOf(NotationException.class)
                .hasMessageContaining("\"" + text + "\" is not a generic resource request");
    }

    @Test
    void sameResourceWithAndWithoutTypeIsRefused() {
        assertThatThrownBy(() -> GresRequest.parse("gpu:tesla:1,gpu:1"))
                .hasMessageContaining("with and without a type");
    }

    @Test
    void requestIsPrintedAsEachFieldShowsIt() {
        var request = GresRequest.parse("gpu:tesla:2,gpu:volta:1,nic:1");

        assertThat(request.toTresPerNode())
                .isEqualTo("gres:gpu:tesla:2,gres:gpu:volta:1,gres:nic:1");
        assertThat(request.toTresRequest())
                .isEqualTo("gres/gpu:tesla:2,gres/gpu:volta:1,gres/nic:1");
        assertThat(request.toTres())
                .isEqualTo("gres/gpu=3,gres/gpu:tesla=2,gres/gpu:volta=1,gres/nic=1");
    }

    @Test
    void countIsOverAllTypes() {
        assertThat(GresRequest.parse("gpu:tesla:2,gpu:volta:1,nic:1").count("gpu")).isEqualTo(3);
    }
}
