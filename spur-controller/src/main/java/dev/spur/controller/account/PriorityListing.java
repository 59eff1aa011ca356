package dev.spur.controller.account;

import dev.spur.api.v1.JobPriority;
import dev.spur.api.v1.ListPrioritiesReply;
import dev.spur.api.v1.ListPrioritiesRequest;
import dev.spur.controller.access.Caller;
import dev.spur.controller.job.Selectors;
import dev.spur.controller.job.Visibility;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.job.Job;
import dev.spur.engine.priority.Factors;
import dev.spur.engine.priority.Multifactor;
import dev.spur.engine.priority.PriorityPolicy;
import dev.spur.model.PriorityRules;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// `sprio`: what the priority of each waiting job is made of, in each of its partitions.
final class PriorityListing {
    private final ReplicatedState state;
    private final Visibility visibility;
    private final InstantSource clock;

    PriorityListing(ReplicatedState state, Visibility visibility, InstantSource clock) {
        this.state = state;
        this.visibility = visibility;
        this.clock = clock;
    }

    ListPrioritiesReply list(ListPrioritiesRequest request, Caller.Person caller) {
        var snapshot = state.snapshot();
        var now = clock.instant();
        var ids = Selectors.parse(request.getIdsList());
        var users = Set.copyOf(request.getUsersList());
        var partitions = Set.copyOf(request.getPartitionsList());
        var reply =
                ListPrioritiesReply.newBuilder()
                        .putAllWeights(weights(snapshot.config().rules().priority()));
        var moment = PriorityPolicy.of(snapshot).at(snapshot, now);
        for (var job : snapshot.jobs()) {
            if (!isRanked(job)
                    || !ids.isEmpty() && ids.meaning(job).findAny().isEmpty()
                    || !isOf(job, users)
                    || visibility.of(job, caller) == Visibility.Sight.NOTHING) {
                continue;
            }
            for (var partition : job.terms().partitions()) {
                if (partitions.isEmpty() || partitions.contains(partition)) {
                    reply.addJobs(view(job, partition, moment));
                }
            }
        }
        return reply.build();
    }

    /// Held jobs and those that may not run yet have no place in the queue.
    private static boolean isRanked(Job job) {
        return job.isPending() && job.queueing().eligibleAt() != null;
    }

    private static boolean isOf(Job job, Set<String> users) {
        var owner = job.spec().owner();
        return users.isEmpty()
                || users.contains(owner.userName())
                || users.contains(Integer.toUnsignedString(owner.uid()));
    }

    private static JobPriority view(Job job, String partition, PriorityPolicy.Moment moment) {
        var charge = job.terms().charge();
        var view =
                JobPriority.newBuilder()
                        .setJobId(job.id().value())
                        .setUser(job.spec().owner().userName())
                        .setAccount(charge.account())
                        .setPartition(partition)
                        .setQos(charge.qosName())
                        .setPriority((int) moment.priority(job))
                        .setNice(job.spec().nice());
        if (moment instanceof Multifactor.Measure measure) {
            var factors = measure.factors(job, partition);
            add(factors, view);
            if (job.queueing().standing().given() == null) {
                view.setPriority((int) measure.priority(factors, job));
            }
        }
        return view.build();
    }

    private static void add(Factors factors, JobPriority.Builder view) {
        var worth = factors.worth();
        view.setAge(factors.age())
                .setFairShare(factors.fairShare())
                .setJobSize(factors.jobSize())
                .setPartitionFactor(factors.partition())
                .setQosFactor(factors.qos())
                .setAssoc(factors.association())
                .putAllTres(factors.tres())
                .setWeightedAge(Math.round(worth.age()))
                .setWeightedFairShare(Math.round(worth.fairShare()))
                .setWeightedJobSize(Math.round(worth.jobSize()))
                .setWeightedPartition(Math.round(worth.partition()))
                .setWeightedQos(Math.round(worth.qos()))
                .setWeightedAssoc(Math.round(worth.association()));
        worth.tres().forEach((name, value) -> view.putWeightedTres(name, Math.round(value)));
    }

    /// By the names of sprio.
    static Map<String, Long> weights(PriorityRules rules) {
        var weights = new TreeMap<String, Long>();
        if (!rules.multifactor()) {
            return weights;
        }
        weights.put("Age", (long) rules.ageWeight());
        weights.put("FairShare", (long) rules.fairShareWeight());
        weights.put("JobSize", (long) rules.jobSizeWeight());
        weights.put("Partition", (long) rules.partitionWeight());
        weights.put("QOS", (long) rules.qosWeight());
        weights.put("Assoc", (long) rules.associationWeight());
        rules.tresWeights().forEach((name, weight) -> weights.put("TRES/" + name, weight));
        return weights;
    }
}
