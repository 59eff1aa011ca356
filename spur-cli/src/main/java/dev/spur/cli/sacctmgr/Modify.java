package dev.spur.cli.sacctmgr;

import dev.spur.api.v1.AccountsChange;
import dev.spur.api.v1.AssociationView;
import dev.spur.api.v1.ModifyEntities;
import dev.spur.api.v1.Setting;
import dev.spur.api.v1.UpdateJobsRequest;
import dev.spur.cli.account.AccountBook;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// `sacctmgr modify … where … set …`.
final class Modify {
    private static final String NOTHING = " Nothing modified";

    private final Entity entity;
    private final Conditions where;
    private final List<Setting> settings;

    private Modify(Entity entity, Conditions where, List<Setting> settings) {
        this.entity = entity;
        this.where = where;
        this.settings = settings;
    }

    static int run(Session session, List<String> words) throws IOException, InterruptedException {
        var entity = words.isEmpty() ? null : Entity.find(words.getFirst()).orElse(null);
        if (entity == null) {
            return noEntity(session);
        }
        var request = Request.of(words.subList(1, words.size()));
        return switch (entity) {
            case ACCOUNT, USER, QOS, CLUSTER, ASSOCIATION -> modify(session, entity, request);
            case JOB -> jobs(session, request);
            case CONFIGURATION,
                    COORDINATOR,
                    EVENT,
                    FEDERATION,
                    INSTANCE,
                    PROBLEM,
                    RESERVATION,
                    RESOURCE,
                    RUNAWAY_JOBS,
                    STATS,
                    TRANSACTION,
                    TRES,
                    WCKEY ->
                    noEntity(session);
        };
    }

    private static int noEntity(Session session) {
        return session.fail(
                """
                No valid entity in modify command
                Input line must include "account", "cluster", "job", "qos", or "user"\
                """);
    }

    private static int modify(Session session, Entity entity, Request request)
            throws IOException, InterruptedException {
        if (request.settings().isEmpty()) {
            return session.fail(" You didn't give me anything to set");
        }
        var where = Conditions.of(entity, request.conditions());
        if (where.areEmpty() && entity != Entity.CLUSTER) {
            return session.fail(
                    " You didn't set any conditions with 'WHERE'.\n Say which are meant: their names, or another condition.");
        }
        var settings = SettingKeys.read(SettingKeys.of(entity), request.settings());
        var modify = new Modify(entity, where, settings);
        where.selector(); // refuses what cannot be said
        return Commit.run(session, NOTHING, modify::plan);
    }

    private Commit.Plan plan(AccountBook book) {
        var text =
                switch (entity) {
                    case QOS -> qos(book);
                    case USER ->
                            users(book) + associations(book, " Modified user associations...\n");
                    case ACCOUNT ->
                            accounts(book)
                                    + associations(book, " Modified account associations...\n");
                    case CLUSTER ->
                            where.areOfAnother(book.cluster()) || !where.mean(book.cluster())
                                    ? ""
                                    : " Modified cluster defaults for associations...\n  C = %-10s\n"
                                            .formatted(book.cluster());
                    case ASSOCIATION -> associations(book, " Modified associations...\n");
                    case CONFIGURATION,
                            COORDINATOR,
                            EVENT,
                            FEDERATION,
                            INSTANCE,
                            JOB,
                            PROBLEM,
                            RESERVATION,
                            RESOURCE,
                            RUNAWAY_JOBS,
                            STATS,
                            TRANSACTION,
                            TRES,
                            WCKEY ->
                            throw new IllegalStateException(entity.name());
                };
        var change =
                ModifyEntities.newBuilder()
                        .setEntity(entity.kept())
                        .setWhere(where.selector())
                        .addAllSet(settings);
        return new Commit.Plan(
                text, List.of(AccountsChange.newBuilder().setModify(change).build()));
    }

    private String qos(AccountBook book) {
        return listed(
                " Modified qos...\n",
                book.qos().stream()
                        .map(qos -> qos.getName())
                        .filter(name -> where.has("names") && where.mean(name))
                        .toList());
    }

    private String users(AccountBook book) {
        return settings.stream().noneMatch(SettingKeys::isOfItself)
                ? ""
                : listed(
                        " Modified users...\n",
                        book.users().values().stream()
                                .filter(user -> where.match(book, user))
                                .map(user -> user.getName())
                                .toList());
    }

    private String accounts(AccountBook book) {
        return settings.stream().noneMatch(SettingKeys::isOfItself)
                ? ""
                : listed(
                        " Modified accounts...\n",
                        chosen(book).stream().map(AssociationView::getAccount).toList());
    }

    private static String listed(String heading, List<String> names) {
        return names.isEmpty() ? "" : heading + "  " + String.join("\n  ", names) + "\n";
    }

    private String associations(AccountBook book, String heading) {
        if (settings.stream().noneMatch(SettingKeys::isOfAssociation)) {
            return "";
        }
        Map<Integer, AssociationView> affected = new LinkedHashMap<>();
        var isInherited = settings.stream().anyMatch(SettingKeys::isInherited);
        for (var one : chosen(book)) {
            affected.put(one.getId(), one);
            if (isInherited) {
                heirs(book, one, affected);
            }
        }
        var text = new StringBuilder();
        affected.values().forEach(one -> text.append(line(book, one)));
        return text.isEmpty() ? "" : heading + text;
    }

    private List<AssociationView> chosen(AccountBook book) {
        var chosen = new ArrayList<AssociationView>();
        for (var one : book.associations()) {
            if (where.match(book, one.view(), entity)) {
                chosen.add(one.view());
            }
        }
        return chosen;
    }

    /// Slurm tells those, too, for whom something else counts now.
    private void heirs(
            AccountBook book, AssociationView above, Map<Integer, AssociationView> affected) {
        for (var child : book.below(above)) {
            if (settings.stream().anyMatch(setting -> inherits(child, setting))) {
                affected.put(child.getId(), child);
                heirs(book, child, affected);
            }
        }
    }

    private static boolean inherits(AssociationView child, Setting setting) {
        var limits = child.getLimits();
        return switch (setting.getKey()) {
            case "maxjobs" -> !limits.hasMaxJobs();
            case "maxjobsaccrue" -> !limits.hasMaxJobsAccrue();
            case "maxsubmitjobs" -> !limits.hasMaxSubmitJobs();
            case "maxwall" -> !limits.hasMaxWallMinutes();
            case "minpriothresh" -> !limits.hasMinPriorityThreshold();
            case "maxtres", "maxcpus", "maxnodes" -> limits.getMaxTresPerJobCount() == 0;
            case "maxtrespernode" -> limits.getMaxTresPerNodeCount() == 0;
            case "maxtresmins", "maxcpumins" -> limits.getMaxTresMinutesPerJobCount() == 0;
            case "qos" -> child.getOwnQosCount() == 0;
            // What a child has of its own is not told apart from what it inherits.
            case "defaultqos" -> true;
            default -> false;
        };
    }

    private static String line(AccountBook book, AssociationView one) {
        if (one.getUser().isEmpty()) {
            return one.getParentAccount().isEmpty()
                    ? "  C = %-10s A = %s\n".formatted(book.cluster(), one.getAccount())
                    : "  C = %-10s A = %s of %s\n"
                            .formatted(book.cluster(), one.getAccount(), one.getParentAccount());
        }
        var line =
                "  C = %-10s A = %-20s U = %-9s"
                        .formatted(book.cluster(), one.getAccount(), one.getUser());
        return line
                + (one.getPartition().isEmpty() ? "\n" : " P = %s\n".formatted(one.getPartition()));
    }

    /// `update job where jobid=… set admincomment=…`: what a job's record says besides.
    private static int jobs(Session session, Request request)
            throws IOException, InterruptedException {
        var where = Conditions.of(Entity.JOB, request.conditions());
        if (!where.has("jobid")) {
            return session.fail(" Say which jobs: where jobid=ID");
        }
        var changes = new LinkedHashMap<String, String>();
        for (var word : request.settings()) {
            switch (word.key().toLowerCase(Locale.ROOT)) {
                case "admincomment" -> changes.put("AdminComment", word.value());
                case "comment" -> changes.put("Comment", word.value());
                default -> throw SettingKeys.unknown(word);
            }
        }
        if (changes.isEmpty()) {
            return session.fail(" You didn't give me anything to set");
        }
        if (!session.agrees(Add.COMMIT)) {
            session.out().println(" Changes Discarded");
            return 0;
        }
        var update =
                UpdateJobsRequest.newBuilder()
                        .setRequestId(session.in().newRequestId())
                        .addAllIds(where.all("jobid"))
                        .putAllChanges(changes)
                        .build();
        var results =
                session.controller()
                        .call(controller -> controller.updateJobs(update))
                        .getResultsList();
        for (var result : results) {
            if (!result.getMessage().isEmpty()) {
                return session.fail(" Error with request: " + result.getMessage());
            }
        }
        session.out().println(" Modified jobs...");
        results.forEach(result -> session.out().println("  " + result.getId()));
        return 0;
    }
}
