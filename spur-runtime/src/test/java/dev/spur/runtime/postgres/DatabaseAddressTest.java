package dev.spur.runtime.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spur.runtime.config.Secret;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DatabaseAddressTest {
    @Test
    void urlGivesUserPasswordAndTheRestToTheDriver() {
        var address =
                DatabaseAddress.parse(
                        Secret.parse(
                                "postgresql://spur:p%40s+s@db.site:6432/acct?sslmode=require"));

        assertThat(address.url()).isEqualTo("jdbc:postgresql://db.site:6432/acct?sslmode=require");
        assertThat(address.user()).isEqualTo("spur");
        assertThat(address.password().reveal()).isEqualTo("p@s+s");
    }

    @Test
    void passwordIsNotShown() {
        var address = DatabaseAddress.parse(Secret.parse("postgres://spur:hidden@host/acct"));

        assertThat(address.toString()).doesNotContain("hidden");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "mysql://spur:hidden@host/acct",
                "postgresql://host/acct?password=hidden",
                "postgresql://spur:hidden@host",
                "postgresql://spur:hidden^@host/acct"
            })
    void whatIsWrongIsToldWithoutThePassword(String url) {
        assertThatThrownBy(() -> DatabaseAddress.parse(Secret.parse(url)))
                .isInstanceOf(PostgresException.class)
                .hasMessageContaining("postgresql://user:password@host")
                .hasMessageNotContaining("hidden");
    }
}
