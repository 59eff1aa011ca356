package dev.spur.controller.job;

import com.google.protobuf.ByteString;
import dev.spur.api.map.JobSpecMapper;
import dev.spur.api.v1.SubmitJobReply;
import dev.spur.api.v1.SubmitJobRequest;
import dev.spur.controller.access.Caller;
import dev.spur.controller.access.SpurErrors;
import dev.spur.controller.blob.BlobStore;
import dev.spur.controller.state.Proposal;
import dev.spur.controller.state.Proposals;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import dev.spur.model.BlobRef;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobSpec;
import dev.spur.model.Owner;
import dev.spur.model.Role;
import dev.spur.model.SpurException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// `sbatch`, `salloc` and `srun` outside of a job.
public final class JobSubmission {
    /// Slurm's `max_script_size`.
    private static final int LARGEST_SCRIPT = 4 << 20;

    private static final int LARGEST_ENVIRONMENT = 4 << 20;

    private final Proposals proposals;
    private final ReplicatedState state;

    public JobSubmission(Proposals proposals, ReplicatedState state) {
        this.proposals = proposals;
        this.state = state;
    }

    public SubmitJobReply submit(SubmitJobRequest request, Caller.Person caller) {
        var spec = JobSpecMapper.toModel(request.getSpec(), owner(request.getSpec(), caller));
        checkSizes(request, spec);
        var blobs = new ArrayList<Proposal.Blob>();
        var script = spec.isBatch() ? keep(request.getScript(), blobs) : null;
        var environment =
                request.getEnvironment().isEmpty() ? null : keep(request.getEnvironment(), blobs);
        var result =
                proposals.decide(
                        at ->
                                new Command.SubmitJob(
                                        at,
                                        request.getRequestId(),
                                        caller.actor(),
                                        spec,
                                        script,
                                        environment),
                        blobs);
        if (!(result instanceof Result.Submitted(var job, var warnings))) {
            throw SpurErrors.unexpected(result);
        }
        return SubmitJobReply.newBuilder()
                .setJobId(job.value())
                .addAllWarnings(warnings)
                .setCluster(state.snapshot().config().clusterName())
                .build();
    }

    /// The caller, unless an administrator submits for somebody else (`--uid`).
    static Owner owner(dev.spur.api.v1.JobSpec spec, Caller.Person caller) {
        var named = !spec.getUserName().isEmpty() && spec.getUid() != caller.actor().uid();
        if (!named) {
            return caller.asOwner();
        }
        if (!caller.isAtLeast(Role.ADMIN)) {
            throw SpurErrors.of(ErrorCode.INVALID_USER);
        }
        return new Owner(spec.getUid(), spec.getGid(), spec.getUserName(), spec.getGroupsList());
    }

    private static void checkSizes(SubmitJobRequest request, JobSpec spec) {
        if (spec.isBatch() && request.getScript().isEmpty()) {
            throw SpurErrors.of(ErrorCode.SCRIPT_MISSING);
        }
        if (request.getScript().size() > LARGEST_SCRIPT) {
            throw new SpurException(
                    ErrorCode.INVALID_REQUEST,
                    "the script has %d bytes, more than the %d MiB that a script may have. Put data into files of its own"
                            .formatted(request.getScript().size(), LARGEST_SCRIPT >> 20));
        }
        if (request.getEnvironment().size() > LARGEST_ENVIRONMENT) {
            throw new SpurException(
                    ErrorCode.INVALID_REQUEST,
                    "the environment has %d bytes, more than %d MiB. Export less of it with --export"
                            .formatted(request.getEnvironment().size(), LARGEST_ENVIRONMENT >> 20));
        }
        if (spec.isBatch() && hasZeroByte(request.getScript())) {
            throw new SpurException(
                    ErrorCode.INVALID_REQUEST,
                    "the script contains NUL bytes: it is no text. Submit a script that runs the program");
        }
    }

    private static boolean hasZeroByte(ByteString bytes) {
        for (var i = 0; i < bytes.size(); i++) {
            if (bytes.byteAt(i) == 0) {
                return true;
            }
        }
        return false;
    }

    private static @Nullable BlobRef keep(ByteString bytes, List<Proposal.Blob> blobs) {
        var array = bytes.toByteArray();
        var ref = new BlobRef(BlobStore.hashOf(array), array.length);
        blobs.add(new Proposal.Blob(ref, array));
        return ref;
    }
}
