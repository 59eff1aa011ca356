package dev.spur.rest.own;

import dev.spur.api.v1.CancelJobsRequest;
import dev.spur.api.v1.GetScriptRequest;
import dev.spur.api.v1.HoldJobsRequest;
import dev.spur.api.v1.Job;
import dev.spur.api.v1.JobActionOutcome;
import dev.spur.api.v1.JobActionReply;
import dev.spur.api.v1.JobDetail;
import dev.spur.api.v1.JobKind;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.api.v1.ListStepsRequest;
import dev.spur.api.v1.ReleaseJobsRequest;
import dev.spur.api.v1.RequeueJobsRequest;
import dev.spur.api.v1.ResumeJobsRequest;
import dev.spur.api.v1.SignalJobsRequest;
import dev.spur.api.v1.SignalTarget;
import dev.spur.api.v1.SuspendJobsRequest;
import dev.spur.api.v1.UpdateJobsRequest;
import dev.spur.api.view.JobTable;
import dev.spur.api.view.JsonText;
import dev.spur.api.view.StepTable;
import dev.spur.model.ErrorCode;
import dev.spur.model.notation.Signal;
import dev.spur.rest.http.Body;
import dev.spur.rest.http.Refusal;
import dev.spur.rest.http.Reply;
import dev.spur.rest.job.JobDescription;
import dev.spur.rest.job.JobUpdate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/// Jobs: what there are, new ones, and what is done to them.
final class JobRoutes {
    private static final JobDescription.Defaults LENIENT = new JobDescription.Defaults(false);
    private static final Set<String> CHOSEN_BY_THE_CONTROLLER =
            Set.of("state", "user", "partition", "account");
    private static final String JOBS = "Jobs";
    private static final String JOB = "/api/v1/jobs/{id}";

    private JobRoutes() {}

    static List<OwnRoute> all() {
        return List.of(
                OwnRoute.get("/api/v1/jobs", "listJobs")
                        .says(
                                JOBS,
                                "The jobs that you may see, also those that ended a moment ago.")
                        .lists("jobs", JobTable.JOBS)
                        .text(
                                "state",
                                "only in these states, by comma; ALL; default: those that live")
                        .text("user", "only of these users, by comma")
                        .text("partition", "only in these partitions, by comma")
                        .text("account", "only of these accounts, by comma")
                        .by(JobRoutes::list),
                OwnRoute.post("/api/v1/jobs", "submitJob")
                        .says(JOBS, "Submits a job.")
                        .takes("JobSubmission")
                        .by(JobRoutes::submit),
                OwnRoute.post("/api/v1/job/submit", "submitJobAsSlurm")
                        .says(JOBS, "Submits a job.")
                        .takes("JobSubmission")
                        .by(JobRoutes::submit),
                OwnRoute.get(JOB, "getJob")
                        .says(JOBS, "One job: 12, or 12_3 for a task of an array.")
                        .answers(JobTable.JOBS)
                        .by(JobRoutes::get),
                OwnRoute.patch(JOB, "changeJob")
                        .says(JOBS, "Changes a job.")
                        .takes("JobDescription")
                        .by(JobRoutes::change),
                OwnRoute.delete(JOB, "cancelJob").says(JOBS, "Ends a job.").by(JobRoutes::cancel),
                OwnRoute.post(JOB + "/cancel", "cancelJobNow")
                        .says(JOBS, "Ends a job.")
                        .by(JobRoutes::cancel),
                OwnRoute.post(JOB + "/hold", "holdJob")
                        .says(JOBS, "Lets a job wait until it is released.")
                        .by(JobRoutes::hold),
                OwnRoute.post(JOB + "/release", "releaseJob")
                        .says(JOBS, "Releases a job that is held.")
                        .by(JobRoutes::release),
                OwnRoute.post(JOB + "/requeue", "requeueJob")
                        .says(JOBS, "Ends a job and lets it begin anew.")
                        .by(JobRoutes::requeue),
                OwnRoute.post(JOB + "/suspend", "suspendJob")
                        .says(JOBS, "Lets the processes of a job stand still.")
                        .by(JobRoutes::suspend),
                OwnRoute.post(JOB + "/resume", "resumeJob")
                        .says(JOBS, "Lets a job go on that stands still.")
                        .by(JobRoutes::resume),
                OwnRoute.post(JOB + "/signal", "signalJob")
                        .says(JOBS, "Sends a signal to the processes of a job.")
                        .takes("Signal")
                        .by(JobRoutes::signal),
                OwnRoute.get(JOB + "/script", "getScript")
                        .says(JOBS, "The script of a job.")
                        .by(JobRoutes::script),
                OwnRoute.get(JOB + "/steps", "listStepsOfJob")
                        .says(JOBS, "The steps of a job that run.")
                        .lists("steps", StepTable.STEPS)
                        .by(call -> steps(call, List.of(id(call)))),
                OwnRoute.get("/api/v1/steps", "listSteps")
                        .says(JOBS, "The steps that run.")
                        .lists("steps", StepTable.STEPS)
                        .by(call -> steps(call, List.of())));
    }

    static String id(OwnCall call) {
        var text = call.request().value("id");
        if (!text.matches("[0-9]{1,9}([_+][0-9]{1,9})?")) {
            throw Refusal.of(404, ErrorCode.INVALID_JOB, "there is no such job");
        }
        return text;
    }

    private static Reply list(OwnCall call) {
        var request = call.request();
        var query =
                ListJobsRequest.newBuilder()
                        .addAllStates(upper(request.list("state")))
                        .addAllUsers(request.list("user"))
                        .addAllPartitions(request.list("partition"))
                        .addAllAccounts(request.list("account"))
                        .setDetail(JobDetail.JOB_DETAIL_FULL)
                        .build();
        var jobs = new ArrayList<Job>();
        var now = new long[1];
        call.client()
                .each(
                        controller -> controller.listJobs(query),
                        page -> {
                            now[0] = page.getNowMicros();
                            jobs.addAll(page.getJobsList());
                        });
        return call.page("jobs", JobTable.JOBS, jobs, now[0], CHOSEN_BY_THE_CONTROLLER);
    }

    private static List<String> upper(List<String> words) {
        return words.stream().map(word -> word.toUpperCase(Locale.ROOT)).toList();
    }

    private static Reply get(OwnCall call) {
        var request =
                ListJobsRequest.newBuilder()
                        .addIds(id(call))
                        .addStates("ALL")
                        .setDetail(JobDetail.JOB_DETAIL_FULL)
                        .build();
        var found = new ArrayList<Job>();
        var now = new long[1];
        call.client()
                .each(
                        controller -> controller.listJobs(request),
                        page -> {
                            now[0] = page.getNowMicros();
                            found.addAll(page.getJobsList());
                        });
        if (found.isEmpty()) {
            throw Refusal.of(404, ErrorCode.INVALID_JOB, "there is no such job");
        }
        return call.one(JobTable.JOBS, found.getFirst(), now[0]);
    }

    private static Reply submit(OwnCall call) {
        var body = call.body();
        var parts = parts(body);
        var warnings = new ArrayList<String>();
        var request =
                new JobDescription(parts, warnings::add)
                        .request(
                                call.caller(),
                                JobKind.JOB_KIND_BATCH,
                                body.has("job") || body.has("jobs")
                                        ? body.text("script").orElse("")
                                        : "",
                                call.requestId(),
                                LENIENT);
        var reply = call.client().call(controller -> controller.submitJob(request));
        warnings.addAll(reply.getWarningsList());
        var id = Integer.toUnsignedLong(reply.getJobId());
        var json = new JsonText().raw("{\"job_id\":").number(id).raw(",\"warnings\":[");
        warnings.forEach(warning -> json.text(warning).raw(','));
        json.withoutLastComma().raw("]}");
        return Reply.json(201, json).with("Location", "/api/v1/jobs/" + id);
    }

    /// A job, parts of a heterogeneous one, or the description itself.
    private static List<Body> parts(Body body) {
        if (body.has("jobs")) {
            var parts = body.objects("jobs");
            if (parts.isEmpty()) {
                throw Refusal.unreadable("\"jobs\" is empty");
            }
            return parts;
        }
        return List.of(body.object("job").orElse(body));
    }

    private static Reply change(OwnCall call) {
        var changes =
                JobUpdate.of(
                        call.body(),
                        unused -> {
                            throw Refusal.unreadable(unused);
                        });
        var id = id(call);
        if (!changes.keys().isEmpty()) {
            require(
                    call.client()
                            .call(controller ->
                                    controller.updateJobs(
                                            UpdateJobsRequest.newBuilder()
                                                    .setRequestId(call.requestId())
                                                    .addIds(id)
                                                    .putAllChanges(changes.keys())
                                                    .build())));
        }
        return changes.hold()
                .map(isHeld -> isHeld ? hold(call) : release(call))
                .orElseGet(() -> get(call));
    }

    private static Reply cancel(OwnCall call) {
        var request =
                CancelJobsRequest.newBuilder()
                        .setRequestId(call.requestId())
                        .addIds(id(call))
                        .build();
        return done(call, call.client().call(controller -> controller.cancelJobs(request)));
    }

    private static Reply hold(OwnCall call) {
        var request =
                HoldJobsRequest.newBuilder()
                        .setRequestId(call.requestId() + "-hold")
                        .addIds(id(call))
                        .build();
        return done(call, call.client().call(controller -> controller.holdJobs(request)));
    }

    private static Reply release(OwnCall call) {
        var request =
                ReleaseJobsRequest.newBuilder()
                        .setRequestId(call.requestId() + "-release")
                        .addIds(id(call))
                        .build();
        return done(call, call.client().call(controller -> controller.releaseJobs(request)));
    }

    private static Reply requeue(OwnCall call) {
        var request =
                RequeueJobsRequest.newBuilder()
                        .setRequestId(call.requestId())
                        .addIds(id(call))
                        .build();
        return done(call, call.client().call(controller -> controller.requeueJobs(request)));
    }

    private static Reply suspend(OwnCall call) {
        var request =
                SuspendJobsRequest.newBuilder()
                        .setRequestId(call.requestId())
                        .addIds(id(call))
                        .build();
        return done(call, call.client().call(controller -> controller.suspendJobs(request)));
    }

    private static Reply resume(OwnCall call) {
        var request =
                ResumeJobsRequest.newBuilder()
                        .setRequestId(call.requestId())
                        .addIds(id(call))
                        .build();
        return done(call, call.client().call(controller -> controller.resumeJobs(request)));
    }

    private static Reply signal(OwnCall call) {
        var body = call.body();
        var name =
                body.text("signal")
                        .orElseThrow(() -> Refusal.unreadable("give \"signal\", as in \"USR1\""));
        var request =
                SignalJobsRequest.newBuilder()
                        .setRequestId(call.requestId())
                        .addIds(id(call))
                        .setSignal(number(name))
                        .setTarget(
                                body.flag("full").orElse(false)
                                        ? SignalTarget.SIGNAL_TARGET_FULL
                                        : SignalTarget.SIGNAL_TARGET_STEPS)
                        .build();
        return done(call, call.client().call(controller -> controller.signalJobs(request)));
    }

    private static int number(String signal) {
        try {
            return Signal.parse(signal).number();
        } catch (IllegalArgumentException _) {
            throw Refusal.unreadable("there is no such signal");
        }
    }

    /// The job as it is then.
    private static Reply done(OwnCall call, JobActionReply reply) {
        require(reply);
        return get(call);
    }

    private static void require(JobActionReply reply) {
        for (var result : reply.getResultsList()) {
            if (result.getOutcome() != JobActionOutcome.JOB_ACTION_DONE) {
                throw new Refusal(
                        switch (result.getOutcome()) {
                            case JOB_ACTION_NOT_FOUND -> 404;
                            case JOB_ACTION_DENIED -> 403;
                            case JOB_ACTION_ALREADY_ENDED -> 409;
                            case JOB_ACTION_REFUSED, JOB_ACTION_DONE, UNRECOGNIZED -> 422;
                        },
                        result.getSlurmErrno(),
                        result.getOutcome().name().substring("JOB_ACTION_".length()),
                        "The job was not changed",
                        result.getMessage(),
                        "",
                        0);
            }
        }
    }

    private static Reply script(OwnCall call) {
        var id = id(call).replaceFirst("[_+].*", "");
        var request = GetScriptRequest.newBuilder().setJobId(Integer.parseInt(id)).build();
        var reply = call.client().call(controller -> controller.getScript(request));
        return Reply.of(200, "text/plain; charset=utf-8", reply.getScript().toByteArray());
    }

    private static Reply steps(OwnCall call, List<String> jobs) {
        var request = ListStepsRequest.newBuilder().addAllIds(jobs).build();
        var reply = call.client().call(controller -> controller.listSteps(request));
        return call.page("steps", StepTable.STEPS, reply.getStepsList(), reply.getNowMicros());
    }
}
