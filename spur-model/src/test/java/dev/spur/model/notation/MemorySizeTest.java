package dev.spur.model.notation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MemorySizeTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "100, 100",
        "100M, 100",
        "4g, 4096",
        "4GB, 4096",
        "2T, 2097152",
        "1K, 1",
        "1024k, 1",
        "1025KB, 2"
    })
    void sizeIsReadInMebibytesAndKibibytesRoundUp(String text, long mebibytes) {
        assertThat(MemorySize.parse(text)).isEqualTo(MemorySize.ofMebibytes(mebibytes));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "12Q",
                "-1",
                "G",
                "1.5G",
                "1GG",
                "1GiB",
                "4 G",
                "99999999999999T",
                "9999999999999999999"
            })
    void anythingElseIsRefusedAndNamed(String text) {
        assertThatThrownBy(() -> MemorySize.parse(text))
                .isInstanceOf(NotationException.class)
                .hasMessageContaining("\"" + text + "\" is not a memory size");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "100, 100M",
        "4000, 4000M",
        "1024, 1G",
        "512, 512M",
        "1536, 1.50G",
        "2000, 2000M",
        "2560, 2.50G",
        "1572864, 1.50T",
        "102400, 100G",
        "1048576, 1T"
    })
    void sizeIsPrintedInTheLargestUnitOfWhichItIsAWholeOrAHalfNumber(long mebibytes, String text) {
        assertThat(MemorySize.ofMebibytes(mebibytes)).hasToString(text);
    }
}
