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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// `sbatch`, `salloc` and `srun` outside of a job.
public final class JobSubmission {
    /// The line is a note for people: its beginning tells enough, and nothing reads it as a program
    /// would.
    private static final int SUBMIT_LINE = 1024;

    private final Proposals proposals;
    private final ReplicatedState state;
    private final UserGroups groups;
    private final Executor threads;

    /// @param threads for those for whom the name service has to be asked
    public JobSubmission(
            Proposals proposals, ReplicatedState state, UserGroups groups, Executor threads) {
        this.proposals = proposals;
        this.state = state;
        this.groups = groups;
        this.threads = threads;
    }

    /// Waits for nothing: called on a thread that others need.
    public CompletableFuture<SubmitJobReply> submit(
            SubmitJobRequest request, Caller.Person caller) {
        return groups.areAtHand(caller.actor(), state.snapshot())
                ? propose(request, caller)
                : CompletableFuture.supplyAsync(() -> propose(request, caller), threads)
                        .thenCompose(Function.identity());
    }

    private CompletableFuture<SubmitJobReply> propose(
            SubmitJobRequest request, Caller.Person caller) {
        var spec =
                Sessions.settle(
                        JobSpecMapper.toModel(
                                cut(request.getSpec()), owner(request.getSpec(), caller)),
                        request.getSpec().getSession(),
                        state.snapshot());
        checkScript(request, spec);
        var blobs = new ArrayList<Proposal.Blob>();
        var script = spec.isBatch() ? keep(request.getScript(), blobs) : null;
        var environment =
                request.getEnvironment().isEmpty() ? null : keep(request.getEnvironment(), blobs);
        var actor = groups.of(caller.actor(), state.snapshot());
        return proposals
                .deciding(
                        at ->
                                new Command.SubmitJob(
                                        at,
                                        request.getRequestId(),
                                        actor,
                                        spec,
                                        script,
                                        environment),
                        blobs)
                .thenApply(this::reply);
    }

    private SubmitJobReply reply(Result result) {
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

    private static void checkScript(SubmitJobRequest request, JobSpec spec) {
        if (spec.isBatch() && request.getScript().isEmpty()) {
            throw SpurErrors.of(ErrorCode.SCRIPT_MISSING);
        }
        if (spec.isBatch() && hasZeroByte(request.getScript())) {
            throw new SpurException(
                    ErrorCode.INVALID_REQUEST,
                    "the script contains NUL bytes: it is no text. Submit a script that runs the program");
        }
    }

    private static dev.spur.api.v1.JobSpec cut(dev.spur.api.v1.JobSpec spec) {
        var line = spec.getSubmitLine();
        if (line.length() > SUBMIT_LINE) {
            var end = line.offsetByCodePoints(0, line.codePointCount(0, SUBMIT_LINE) - 1);
            line = line.substring(0, end) + "…";
        }
        return spec.toBuilder().setSubmitLine(printable(line)).build();
    }

    private static String printable(String text) {
        return text.chars()
                .map(c -> Character.isISOControl(c) ? ' ' : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
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
