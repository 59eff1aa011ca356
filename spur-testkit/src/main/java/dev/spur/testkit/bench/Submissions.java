package dev.spur.testkit.bench;

import com.google.protobuf.ByteString;
import dev.spur.api.client.CallerIdentity;
import dev.spur.api.v1.JobSpec;
import dev.spur.api.v1.ResourceRequest;
import dev.spur.api.v1.SubmitJobRequest;
import dev.spur.runtime.host.Users;
import java.util.List;
import java.util.UUID;

/// The jobs that measurements submit: one task, a script of 100 bytes, a small environment.
final class Submissions {
    static final String NAME = "bench";

    private static final ByteString SCRIPT =
            ByteString.copyFromUtf8(
                    "#!/bin/sh\n# %s\nexec /bin/true\n"
                            .formatted("a hundred bytes ".repeat(5).substring(0, 72)));
    private static final ByteString ENVIRONMENT =
            ByteString.copyFromUtf8("PATH=/usr/bin:/bin\0HOME=/root\0USER=root\0LANG=C.UTF-8\0");

    private Submissions() {}

    static SubmitJobRequest job(boolean held) {
        return SubmitJobRequest.newBuilder()
                .setSpec(spec().setHold(held))
                .setScript(SCRIPT)
                .setEnvironment(ENVIRONMENT)
                .build();
    }

    /// @param last the array's indexes are 0 to this
    static SubmitJobRequest array(int last, boolean held) {
        var job = job(held).toBuilder();
        job.getSpecBuilder().setArray("0-" + last);
        return job.build();
    }

    private static JobSpec.Builder spec() {
        return JobSpec.newBuilder()
                .setName(NAME)
                .setWorkDir("/tmp")
                .setStdOut("/dev/null")
                .addComponents(
                        ResourceRequest.newBuilder()
                                .setMinNodes(1)
                                .setMaxNodes(1)
                                .setTasks(1)
                                .setCpusPerTask(1));
    }

    /// The same once more: a request id that was seen before would be answered from memory.
    static SubmitJobRequest fresh(SubmitJobRequest request) {
        return request.toBuilder().setRequestId(UUID.randomUUID().toString()).build();
    }

    /// Whoever runs the measurement.
    static CallerIdentity self() {
        var uid = Users.currentUid();
        var name = Users.byUid(uid).map(user -> user.name()).orElse(Long.toString(uid));
        return new CallerIdentity.Vouched((int) uid, (int) uid, name, List.of());
    }
}
