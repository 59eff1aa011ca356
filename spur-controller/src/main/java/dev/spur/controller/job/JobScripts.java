package dev.spur.controller.job;

import com.google.protobuf.ByteString;
import dev.spur.api.v1.GetScriptReply;
import dev.spur.api.v1.GetScriptRequest;
import dev.spur.controller.access.Caller;
import dev.spur.controller.access.SpurErrors;
import dev.spur.controller.blob.BlobStore;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobId;

/// `scontrol write batch_script`.
public final class JobScripts {
    private final ReplicatedState state;
    private final BlobStore blobs;

    public JobScripts(ReplicatedState state, BlobStore blobs) {
        this.state = state;
        this.blobs = blobs;
    }

    public GetScriptReply get(GetScriptRequest request, Caller.Person caller) {
        var job =
                state.snapshot()
                        .job(JobId.of(Integer.toUnsignedLong(request.getJobId())))
                        .orElseThrow(() -> SpurErrors.of(ErrorCode.INVALID_JOB));
        if (!JobActions.mayRead(job, caller)) {
            throw SpurErrors.denied();
        }
        var script = job.script();
        if (script == null) {
            throw SpurErrors.of(ErrorCode.SCRIPT_MISSING);
        }
        var bytes =
                blobs.get(script.sha256())
                        .orElseThrow(() -> SpurErrors.of(ErrorCode.SCRIPT_MISSING));
        return GetScriptReply.newBuilder().setScript(ByteString.copyFrom(bytes)).build();
    }
}
