package dev.spur.engine.job;

/// Whom a job is charged to, and what it may therefore use.
///
/// @param association 0: none, as where nothing is enforced and nobody knows the user
/// @param account as people see it; empty: none
/// @param qos 0: none
/// @param qosName empty: none
/// @param partitionQos whose limits hold in its partition; 0: none
/// @param wckey empty: none
public record Charge(
        int association, String account, int qos, String qosName, int partitionQos, String wckey) {
    public static final Charge NONE = new Charge(0, "", 0, "", 0, "");

    public Charge withAssociation(int other) {
        return new Charge(other, account, qos, qosName, partitionQos, wckey);
    }

    public Charge withPartitionQos(int other) {
        return new Charge(association, account, qos, qosName, other, wckey);
    }
}
