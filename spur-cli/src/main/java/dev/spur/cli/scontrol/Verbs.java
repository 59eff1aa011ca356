package dev.spur.cli.scontrol;

import static dev.spur.cli.scontrol.Words.stem;
import static dev.spur.cli.scontrol.Words.word;

import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.CreateTokenRequest;
import dev.spur.api.v1.GetScriptRequest;
import dev.spur.api.v1.PingRequest;
import dev.spur.api.v1.ReconfigureRequest;
import dev.spur.api.view.PeerTable;
import dev.spur.api.view.Surroundings;
import dev.spur.cli.UserFiles;
import dev.spur.cli.cluster.Survey;
import dev.spur.cli.options.SlurmVersion;
import dev.spur.cli.submission.Refused;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobSelector;
import dev.spur.model.notation.NotationException;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

/// The first words of scontrol's commands.
final class Verbs {
    /// What a verb does with the words behind it. Returns the exit code.
    @FunctionalInterface
    interface Verb {
        int run(Session session, List<String> words) throws Exception;
    }

    static final String SUMMARY =
            """
            Commands:
              show job|node|partition|reservation|step [NAME], show config
              show hostnames|hostlist|hostlistsorted [LIST]
              hold|uhold|release JOB...              keep a waiting job from starting, or let it start
              requeue|requeuehold [Incomplete] JOB... back to the queue, waiting or held (State=SpecialExit)
              suspend|resume JOB...                  let a job stand still, or go on (operators)
              top JOB...                             before the other jobs of its user (operators)
              update JobId=JOB KEY=VALUE...          change a job
              update NodeName=NODES KEY=VALUE...     change nodes: State=, Reason=, Weight=, Features=, Comment=
              create partition PartitionName=NAME KEY=VALUE...
              update PartitionName=NAME KEY=VALUE... change a partition: State=, MaxTime=, Nodes=, AllowGroups=, …
              delete PartitionName=NAME
              create reservation KEY=VALUE...        keep nodes: StartTime=, Duration=, Nodes=, NodeCnt=, Users=, Flags=
              update ReservationName=NAME KEY=VALUE...
              delete ReservationName=NAME
              write batch_script JOB [FILE|-]        a job's script
              write config [FILE]                    the configuration in Slurm's names
              notify JOB MESSAGE                     a line on a job's standard error
              completing, wait_job JOB               jobs that are being cleaned; until a job has its nodes
              listpids [JOB[.STEP] [NODE]], pidinfo PID  processes of jobs, and the job of a process
              ping, reconfigure, token [lifespan=SECONDS] [username=USER], version
            Without a command they are read from standard input, until quit.\
            """;

    private static final Words<Verb> VERBS =
            new Words<>(
                    List.of(
                            word("all", 1, toggle(session -> session.showAll(true))),
                            word("completing", 2, (session, _) -> Completing.show(session)),
                            word("create", 2, CreateAndDelete::create),
                            word("delete", 3, CreateAndDelete::delete),
                            word("details", 3, toggle(Session::detailed)),
                            word("exit", 1, toggle(Session::end)),
                            word("help", 2, (session, _) -> say(session, SUMMARY)),
                            word("hide", 2, toggle(session -> session.showAll(false))),
                            stem("holdu", JobActions::userHold),
                            stem("hold", JobActions::hold),
                            word("listpids", 2, Processes::list),
                            word("notify", 2, Notice::send),
                            word("oneliner", 1, toggle(Session::oneLine)),
                            word("pidinfo", 3, Processes::info),
                            word("ping", 3, (session, _) -> ping(session)),
                            word("quiet", 4, toggle(session -> session.quiet(true))),
                            word("quit", 1, toggle(Session::end)),
                            word("reconfigure", 3, (session, _) -> reconfigure(session)),
                            word("release", 3, JobActions::release),
                            word("requeue", 3, JobActions::requeue),
                            word("requeuehold", 8, JobActions::requeueAndHold),
                            word("resume", 3, JobActions::resume),
                            word("show", 2, Show::run),
                            word("suspend", 2, JobActions::suspend),
                            word("token", 2, Verbs::token),
                            word("uhold", 2, JobActions::userHold),
                            word("top", 2, JobActions::top),
                            word("update", 1, Update::run),
                            word("verbose", 4, toggle(session -> session.quiet(false))),
                            word("version", 4, (session, _) -> say(session, SlurmVersion.LINE)),
                            word("wait_job", 2, Completing::await),
                            word("write", 5, Verbs::write)));

    /// Verbs of Slurm's that this release does not have.
    private static final List<String> LATER =
            List.of(
                    "abort",
                    "cancel_reboot",
                    "errnumstr",
                    "fsdampeningfactor",
                    "power",
                    "reboot",
                    "schedloglevel",
                    "setdebug",
                    "setdebugflags",
                    "shutdown",
                    "takeover");

    private Verbs() {}

    static int run(Session session, List<String> words) throws Exception {
        var first = words.getFirst();
        var verb = VERBS.find(first);
        if (verb.isPresent() && session.document().isPresent() && !isForPrograms(first)) {
            return notForPrograms(session);
        }
        if (verb.isPresent()) {
            return verb.get().run(session, words.subList(1, words.size()));
        }
        if (LATER.stream().anyMatch(later -> first.length() > 2 && later.startsWith(first))) {
            return session.fail("scontrol: error: '%s' is not supported yet".formatted(first));
        }
        return session.fail("invalid keyword: " + first);
    }

    private static boolean isForPrograms(String verb) {
        var lower = verb.toLowerCase(Locale.ROOT);
        return "show".startsWith(lower) || "ping".startsWith(lower);
    }

    static int notForPrograms(Session session) {
        return session.fail(
                "scontrol: error: --json and --yaml are for ping, and for show of jobs, steps, nodes,"
                        + " partitions, reservations and licenses");
    }

    static int tooFew(Session session, String verb) {
        return session.fail("too few arguments for keyword:" + verb);
    }

    private static Verb toggle(Consumer<Session> change) {
        return (session, _) -> {
            change.accept(session);
            return 0;
        };
    }

    private static int say(Session session, String text) {
        session.out().println(text);
        return 0;
    }

    /// Each controller answers for itself: a follower is as much up as the leader.
    private static int ping(Session session) {
        var document = session.document();
        if (document.isPresent()) {
            var reply =
                    session.controller().call(each -> each.ping(PingRequest.getDefaultInstance()));
            document.get()
                    .list(
                            "pings",
                            PeerTable.CONTROLLERS,
                            reply.getControllersList(),
                            Surroundings.of(reply.getCluster(), reply.getSelf().getNowMicros()))
                    .end(reply.getCluster());
            return 0;
        }
        var survey = Survey.of(session.controller());
        for (var i = 0; i < survey.rows().size(); i++) {
            session.out().println(standing(survey.rows().get(i), i, survey.rows().size()));
        }
        if (!survey.accountingTrouble().isEmpty()) {
            session.out().println("Accounting: " + survey.accountingTrouble());
        }
        if (survey.leader().isEmpty() && !survey.trouble().isEmpty()) {
            return session.fail("scontrol: error: " + survey.trouble());
        }
        return survey.rows().stream().anyMatch(Survey.Row::isUp) ? 0 : 1;
    }

    static String standing(Survey.Row row, int index, int count) {
        var role = index == 0 ? "primary" : count == 2 ? "backup" : "backup" + index;
        return "Slurmctld(%s) at %s is %s".formatted(role, row.host(), row.isUp() ? "UP" : "DOWN");
    }

    private static int reconfigure(Session session) {
        var request =
                ReconfigureRequest.newBuilder().setRequestId(session.in().newRequestId()).build();
        try {
            var reply = session.controller().call(controller -> controller.reconfigure(request));
            if (!reply.getController().isEmpty()) {
                var changed =
                        reply.getAppliedCount() == 0
                                ? "nothing"
                                : String.join(", ", reply.getAppliedList());
                session.in()
                        .err()
                        .println(
                                "scontrol: read the configuration of %s, which leads; changed: %s"
                                        .formatted(reply.getController(), changed));
            }
            if (reply.getForgottenCount() > 0) {
                session.in()
                        .err()
                        .println(
                                "scontrol: as in the file again, what was set with scontrol is gone: "
                                        + String.join(", ", reply.getForgottenList()));
            }
            if (reply.getNeedRestartCount() > 0) {
                session.in()
                        .err()
                        .println(
                                "scontrol: these keys take effect when spurctld is restarted: "
                                        + String.join(", ", reply.getNeedRestartList()));
            }
            return 0;
        } catch (ControllerException refusal) {
            return session.fail("slurm_reconfigure error: " + told(refusal));
        }
    }

    private static int token(Session session, List<String> words) {
        var request = CreateTokenRequest.newBuilder().setRequestId(session.in().newRequestId());
        for (var word : words) {
            var pair = Pair.of(word);
            switch (pair.key().toLowerCase(Locale.ROOT)) {
                case "lifespan" -> {
                    var seconds = lifespan(pair.value());
                    if (seconds.isEmpty()) {
                        return session.fail("scontrol: error: Invalid lifespan: " + pair.value());
                    }
                    request.setLifespanSeconds(seconds.get());
                }
                case "username" -> request.setUser(pair.value());
                default -> {
                    return session.fail("scontrol: error: Unknown option: " + word);
                }
            }
        }
        try {
            return say(
                    session,
                    "SLURM_JWT="
                            + session.controller()
                                    .call(controller -> controller.createToken(request.build()))
                                    .getToken());
        } catch (ControllerException refusal) {
            return session.fail("scontrol: error: failed to create token: " + told(refusal));
        }
    }

    private static Optional<Integer> lifespan(String text) {
        if (text.equalsIgnoreCase("infinite")) {
            return Optional.of(Integer.MAX_VALUE);
        }
        try {
            var seconds = Integer.parseInt(text);
            return seconds > 0 ? Optional.of(seconds) : Optional.empty();
        } catch (NumberFormatException _) {
            return Optional.empty();
        }
    }

    private static int write(Session session, List<String> words) throws IOException {
        if (words.isEmpty()) {
            return tooFew(session, "write");
        }
        if ("config".startsWith(words.getFirst())) {
            return WrittenConfig.write(session, words.size() > 1 ? words.get(1) : "");
        }
        if (!"batch_script".startsWith(words.getFirst())) {
            return session.fail("invalid write argument:" + words.getFirst());
        }
        if (words.size() < 2) {
            return tooFew(session, "write");
        }
        long job;
        try {
            job = JobSelector.parse(words.get(1)).job().value();
        } catch (NotationException _) {
            return session.fail("job script retrieval failed: " + ErrorCode.INVALID_JOB.text());
        }
        byte[] script;
        try {
            var request = GetScriptRequest.newBuilder().setJobId((int) job).build();
            script =
                    session.controller()
                            .call(controller -> controller.getScript(request))
                            .getScript()
                            .toByteArray();
        } catch (ControllerException refusal) {
            return session.fail("job script retrieval failed: " + told(refusal));
        }
        var file = words.size() > 2 ? words.get(2) : "slurm-" + words.get(1) + ".sh";
        if (file.equals("-")) {
            session.out().write(script);
            return 0;
        }
        try (var out = session.in().files().write(file, UserFiles.WriteMode.TRUNCATE)) {
            out.write(script);
        }
        return say(session, "batch script for job %s written to %s".formatted(words.get(1), file));
    }

    /// Slurm's words, or the controller's where Slurm would only say that an argument was wrong.
    static String told(ControllerException refusal) {
        return Refused.is(refusal, ErrorCode.INVALID_REQUEST)
                ? Refused.message(refusal)
                : Refused.text(refusal);
    }
}
