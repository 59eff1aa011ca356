package dev.spur.engine.state;

/// What a request asks for. A request id stands for one request; it means nothing to another kind.
public enum RequestKind {
    SUBMIT_JOB("submit a job"),
    UPDATE_JOBS("update jobs"),
    HOLD_JOBS("hold jobs"),
    RELEASE_JOBS("release jobs"),
    CANCEL_JOBS("cancel jobs"),
    REQUEUE_JOBS("requeue jobs"),
    SUSPEND_JOBS("suspend jobs"),
    RESUME_JOBS("resume jobs"),
    FINISH_ALLOCATION("give an allocation back"),
    CREATE_STEP("create a step"),
    UPDATE_NODES("update nodes"),
    APPLY_CONFIG("change the configuration"),
    CREATE_TOKEN("create a token"),
    REVOKE_TOKEN("revoke a token"),
    CREATE_JOIN_TOKEN("create a join token"),
    REVOKE_CERTIFICATE("revoke a certificate"),
    REVOKE_HOST("revoke the certificates of a host"),
    CHANGE_ACCOUNTS("change accounts, users, associations or QOS"),
    TOP_JOBS("put jobs first"),
    CREATE_RESERVATION("create a reservation"),
    UPDATE_RESERVATION("update a reservation"),
    DELETE_RESERVATION("delete a reservation"),
    CREATE_PARTITION("create a partition"),
    UPDATE_PARTITION("update a partition"),
    DELETE_PARTITION("delete a partition"),
    LINK_CLOUD_USER("link a user to the cloud"),
    UNLINK_CLOUD_USER("unlink a user from the cloud");

    private final String words;

    RequestKind(String words) {
        this.words = words;
    }

    /// To be read after "to".
    public String words() {
        return words;
    }

    public static RequestKind of(Command.Request request) {
        return switch (request) {
            case Command.SubmitJob _ -> SUBMIT_JOB;
            case Command.UpdateJobs _ -> UPDATE_JOBS;
            case Command.HoldJobs _ -> HOLD_JOBS;
            case Command.ReleaseJobs _ -> RELEASE_JOBS;
            case Command.CancelJobs _ -> CANCEL_JOBS;
            case Command.RequeueJobs _ -> REQUEUE_JOBS;
            case Command.SuspendJobs _ -> SUSPEND_JOBS;
            case Command.ResumeJobs _ -> RESUME_JOBS;
            case Command.FinishAllocation _ -> FINISH_ALLOCATION;
            case Command.CreateStep _ -> CREATE_STEP;
            case Command.UpdateNodes _ -> UPDATE_NODES;
            case Command.ApplyConfig _ -> APPLY_CONFIG;
            case Command.CreateToken _ -> CREATE_TOKEN;
            case Command.RevokeToken _ -> REVOKE_TOKEN;
            case Command.CreateJoinToken _ -> CREATE_JOIN_TOKEN;
            case Command.RevokeCertificate _ -> REVOKE_CERTIFICATE;
            case Command.RevokeHost _ -> REVOKE_HOST;
            case Command.ChangeAccounts _ -> CHANGE_ACCOUNTS;
            case Command.TopJobs _ -> TOP_JOBS;
            case Command.CreateReservation _ -> CREATE_RESERVATION;
            case Command.UpdateReservation _ -> UPDATE_RESERVATION;
            case Command.DeleteReservation _ -> DELETE_RESERVATION;
            case Command.CreatePartition _ -> CREATE_PARTITION;
            case Command.UpdatePartition _ -> UPDATE_PARTITION;
            case Command.DeletePartition _ -> DELETE_PARTITION;
            case Command.LinkCloudUser _ -> LINK_CLOUD_USER;
            case Command.UnlinkCloudUser _ -> UNLINK_CLOUD_USER;
        };
    }
}
