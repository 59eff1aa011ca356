package dev.spur.rest.slurm;

import dev.spur.api.view.JsonText;
import java.io.IOException;
import java.io.OutputStream;

/// Writes members of an answer, each with a comma behind it, and lets them go now and then.
@FunctionalInterface
interface SlurmStream {
    int PIECE = 60 << 10;

    void write(JsonText json, OutputStream out) throws IOException;
}
