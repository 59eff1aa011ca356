package dev.spur.model;

/// Texts that travel with a job and that scheduling does not look at.
public record JobNotes(
        String comment,
        String adminComment,
        String mailType,
        String mailUser,
        String wckey,
        String network,
        String clusterFeatures,
        String mcsLabel) {

    public static final JobNotes NONE = new JobNotes("", "", "", "", "", "", "", "");

    public JobNotes withComment(String text) {
        return new JobNotes(
                text, adminComment, mailType, mailUser, wckey, network, clusterFeatures, mcsLabel);
    }

    public JobNotes withAdminComment(String text) {
        return new JobNotes(
                comment, text, mailType, mailUser, wckey, network, clusterFeatures, mcsLabel);
    }
}
