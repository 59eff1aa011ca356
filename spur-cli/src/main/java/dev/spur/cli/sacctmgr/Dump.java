package dev.spur.cli.sacctmgr;

import dev.spur.api.v1.AssociationLimits;
import dev.spur.api.v1.AssociationView;
import dev.spur.cli.UserFiles;
import dev.spur.cli.account.AccountBook;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/// `sacctmgr dump`: the tree of accounts as a file that `load` reads, here or in a Slurm.
final class Dump {
    private static final String EXPLANATION =
            """
            # To edit this file start with a cluster line for the new cluster
            # Cluster - 'cluster_name':MaxJobs=50
            # Followed by Accounts you want in this fashion (root is created by default)...
            # Parent - 'root'
            # Account - 'cs':MaxJobs=4:FairShare=399:MaxWallDurationPerJob=40:Description='Computer Science':Organization='LC'
            # Any of the options after a ':' can be left out and they can be in any order.
            # If you want to add any sub accounts just list the Parent THAT HAS ALREADY
            # BEEN CREATED before the account line in this fashion...
            # Parent - 'cs'
            # Account - 'test':MaxJobs=1:FairShare=1:Description='Test Account':Organization='Test'
            # To add users to a account add a line like this after a Parent - 'line'
            # User - 'lipari':MaxJobs=3:FairShare=1:MaxWallDurationPerJob=1
            """;

    private final AccountBook book;
    private final StringBuilder text = new StringBuilder(EXPLANATION);

    private Dump(AccountBook book) {
        this.book = book;
    }

    static int run(Session session, List<String> words) throws IOException {
        var where = Conditions.of(Entity.CLUSTER, Request.of(words).conditions());
        if (!where.has("names")) {
            return session.fail(" We need a cluster to dump.");
        }
        var book = session.book();
        if (!where.mean(book.cluster())) {
            return session.fail(
                    " There is no cluster %s here: this one is %s."
                            .formatted(String.join(",", where.all("names")), book.cluster()));
        }
        var file = where.text("file");
        if (file.isEmpty()) {
            file = "./" + book.cluster() + ".cfg";
            session.out().println(" No filename given, using %s.".formatted(file));
        }
        try (var out = session.in().files().write(file, UserFiles.WriteMode.TRUNCATE)) {
            out.write(new Dump(book).text().getBytes(session.in().charset()));
            out.flush();
        }
        return 0;
    }

    private String text() {
        for (var one : book.associations()) {
            if (one.depth() == 0) {
                text.append("Cluster - ").append(DumpLine.quoted(book.cluster()));
                limits(one.view());
                text.append('\n');
                below(one.view());
            }
        }
        return text.toString();
    }

    private void below(AssociationView parent) {
        var children = book.below(parent);
        if (children.isEmpty()) {
            return;
        }
        text.append("Parent - ").append(DumpLine.quoted(parent.getAccount())).append('\n');
        for (var child : children) {
            if (child.getUser().isEmpty()) {
                account(child);
            } else {
                user(child);
            }
            limits(child);
            text.append('\n');
        }
        children.stream().filter(child -> child.getUser().isEmpty()).forEach(this::below);
    }

    private void account(AssociationView one) {
        text.append("Account - ").append(DumpLine.quoted(one.getAccount()));
        var account = book.accounts().get(one.getAccount());
        if (account != null) {
            option("Description", DumpLine.quoted(account.getDescription()));
            option("Organization", DumpLine.quoted(account.getOrganization()));
        }
    }

    private void user(AssociationView one) {
        text.append("User - ").append(DumpLine.quoted(one.getUser()));
        if (!one.getPartition().isEmpty()) {
            option("Partition", DumpLine.quoted(one.getPartition()));
        }
        var user = book.users().get(one.getUser());
        if (user == null) {
            return;
        }
        if (user.getCoordinatesList().contains(one.getAccount())) {
            option("Coordinator", DumpLine.quoted(one.getAccount()));
        }
        option("DefaultAccount", DumpLine.quoted(user.getDefaultAccount()));
        if (!user.getDefaultWckey().isEmpty()) {
            option("DefaultWCKey", DumpLine.quoted(user.getDefaultWckey()));
        }
        if (!user.getAdminLevel().equals("None")) {
            option("AdminLevel", DumpLine.quoted(user.getAdminLevel()));
        }
    }

    /// What is set here; what is inherited will be again.
    private void limits(AssociationView one) {
        AssociationLimits limits = one.getLimits();
        option(
                "Fairshare",
                limits.getSharesOfParent()
                        ? "parent"
                        : Integer.toUnsignedString(limits.getShares()));
        tres("GrpTRESMins", limits.getGrpTresMinutesMap());
        tres("GrpTRESRunMins", limits.getGrpTresRunMinutesMap());
        tres("GrpTRES", limits.getGrpTresMap());
        count("GrpJobs", limits.hasGrpJobs(), limits.getGrpJobs());
        count("GrpJobsAccrue", limits.hasGrpJobsAccrue(), limits.getGrpJobsAccrue());
        count("GrpSubmitJobs", limits.hasGrpSubmitJobs(), limits.getGrpSubmitJobs());
        count("GrpWall", limits.hasGrpWallMinutes(), limits.getGrpWallMinutes());
        tres("MaxTRESMinsPerJob", limits.getMaxTresMinutesPerJobMap());
        tres("MaxTRESPerJob", limits.getMaxTresPerJobMap());
        tres("MaxTRESPerNode", limits.getMaxTresPerNodeMap());
        count("MaxJobs", limits.hasMaxJobs(), limits.getMaxJobs());
        count("MaxJobsAccrue", limits.hasMaxJobsAccrue(), limits.getMaxJobsAccrue());
        count("MaxSubmitJobs", limits.hasMaxSubmitJobs(), limits.getMaxSubmitJobs());
        count("MaxWallDurationPerJob", limits.hasMaxWallMinutes(), limits.getMaxWallMinutes());
        count(
                "MinPrioThreshold",
                limits.hasMinPriorityThreshold(),
                limits.getMinPriorityThreshold());
        count("Priority", limits.hasPriority(), limits.getPriority());
        if (one.getOwnQosCount() > 0) {
            option("QOS", DumpLine.quoted(String.join(",", one.getOwnQosList())));
        }
        var above = book.above(one);
        if (!one.getDefaultQos().isEmpty()
                && (above == null || !above.getDefaultQos().equals(one.getDefaultQos()))) {
            option("DefaultQOS", DumpLine.quoted(one.getDefaultQos()));
        }
    }

    private void tres(String key, Map<String, Long> amounts) {
        if (!amounts.isEmpty()) {
            option(key, DumpLine.quoted(book.amounts(amounts)));
        }
    }

    private void count(String key, boolean isThere, int value) {
        if (isThere) {
            option(key, Integer.toUnsignedString(value));
        }
    }

    private void option(String key, String value) {
        text.append(':').append(key).append('=').append(value);
    }
}
