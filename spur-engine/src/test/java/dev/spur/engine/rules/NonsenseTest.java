package dev.spur.engine.rules;

import dev.spur.engine.codec.Generated;
import dev.spur.engine.fixture.Invariants;
import dev.spur.engine.fixture.RandomLife;
import dev.spur.engine.state.Command;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A command that cannot be applied must not stop the log: every replica would stop at it, for
/// ever.
class NonsenseTest {
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void commandsWithoutAnySenseAreAnsweredAndDoNoHarm(long seed) {
        var life = new RandomLife(seed);
        var generated = new Generated(seed);
        for (var i = 0; i < 2_000; i++) {
            life.step();
            life.cluster().apply(generated.value(Command.class));
            Invariants.check(life.cluster().snapshot());
        }
    }
}
