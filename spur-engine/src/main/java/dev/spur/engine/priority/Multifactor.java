package dev.spur.engine.priority;

import dev.spur.engine.account.Accounts;
import dev.spur.engine.account.FairShare;
import dev.spur.engine.job.Job;
import dev.spur.engine.limit.Budgets;
import dev.spur.engine.limit.JobAmounts;
import dev.spur.engine.site.Site;
import dev.spur.engine.tres.TresVector;
import dev.spur.model.PriorityRules;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/// The sum of weighted factors (Slurm's `priority/multifactor`): how long a job has been ready to
/// run, how much less than its share its association has used, how large it is, what its partition,
/// QOS and association are worth.
public record Multifactor(PriorityRules rules) implements PriorityPolicy {
    @Override
    public long priority(Job job, Site site, Instant now) {
        return at(site, now).priority(job);
    }

    @Override
    public Measure at(Site site, Instant now) {
        return new Measure(rules, site, now);
    }

    @Override
    public boolean isSteady() {
        return false;
    }

    /// The factors of one state at one moment.
    public static final class Measure implements Moment {
        private final PriorityRules rules;
        private final Site site;
        private final Accounts accounts;
        private final FairShare shares;
        private final Instant now;
        private final Map<String, TresVector> capacities = new HashMap<>();
        private final int highestPartitionFactor;
        private long nodes;
        private long cpus;

        private Measure(PriorityRules rules, Site site, Instant now) {
            this.rules = rules;
            this.site = site;
            this.now = now;
            accounts = site.accounts();
            shares = site.fairShare();
            var highest = 0;
            for (var partition : site.partitions()) {
                highest = Math.max(highest, partition.spec().priorityJobFactor());
            }
            highestPartitionFactor = highest;
            for (var kind : site.nodeClasses()) {
                nodes += kind.members().size();
                cpus += (long) kind.members().size() * kind.shape().cpus();
            }
        }

        @Override
        public long priority(Job job) {
            var given = job.queueing().standing().given();
            if (given != null) {
                return given;
            }
            var best = 1L;
            for (var partition : job.terms().partitions()) {
                best = Math.max(best, priority(factors(job, partition), job));
            }
            return best;
        }

        /// Of a job with these factors.
        public long priority(Factors factors, Job job) {
            return Math.clamp((long) factors.worth().sum() - job.spec().nice(), 1, 0xffff_fffeL);
        }

        /// In one of its partitions.
        public Factors factors(Job job, String partition) {
            var charge =
                    Budgets.chargeIn(job.terms(), job.spec().owner().userName(), partition, site);
            var age = age(job);
            var fairShare = shares.of(charge.association()).factor();
            var size = size(job);
            var own =
                    site.partition(partition).map(one -> one.spec().priorityJobFactor()).orElse(0);
            var factor = part(own, highestPartitionFactor);
            var quality = accounts.qos().get(charge.qos());
            var qos = part(quality == null ? 0 : quality.priority(), accounts.highestQosPriority());
            var association =
                    part(
                            accounts.priorityInForce(charge.association()),
                            accounts.highestAssociationPriority());
            var tres = tres(job, partition);
            var tresWorth = new TreeMap<String, Double>();
            tres.forEach((name, one) ->
                    tresWorth.put(name, one * rules.tresWeights().getOrDefault(name, 0L)));
            return new Factors(
                    age,
                    fairShare,
                    size,
                    factor,
                    qos,
                    association,
                    tres,
                    new Factors.Worth(
                            age * rules.ageWeight(),
                            fairShare * rules.fairShareWeight(),
                            size * rules.jobSizeWeight(),
                            factor * rules.partitionWeight(),
                            qos * rules.qosWeight(),
                            association * rules.associationWeight(),
                            tresWorth));
        }

        /// Only the time counts in which nothing else kept it waiting.
        private double age(Job job) {
            var since = job.queueing().eligibleAt();
            if (since == null || !now.isAfter(since)) {
                return 0;
            }
            return Math.min(
                    1,
                    (double) Duration.between(since, now).toMillis() / rules.maxAge().toMillis());
        }

        /// The mean of its parts of all nodes and of all CPUs.
        private double size(Job job) {
            if (nodes == 0 || cpus == 0) {
                return 0;
            }
            var demand = job.terms().demand();
            var part = (part(demand.minNodes(), nodes) + part(demand.cpus(), cpus)) / 2;
            return rules.favorSmall() ? 1 - part : part;
        }

        private static double part(long some, long all) {
            return all <= 0 ? 0 : Math.clamp((double) some / all, 0, 1);
        }

        /// Of what the partition has of each resource that is worth something.
        private Map<String, Double> tres(Job job, String name) {
            if (rules.tresWeights().isEmpty()) {
                return Map.of();
            }
            var parts = new TreeMap<String, Double>();
            var asked = JobAmounts.requested(job.terms(), name, site);
            var has = capacities.computeIfAbsent(name, one -> Capacity.of(one, site));
            for (var resource : rules.tresWeights().keySet()) {
                var id = site.tres().id(resource);
                var all = has.get(id);
                parts.put(resource, id == 0 || all == 0 ? 0.0 : (double) asked.get(id) / all);
            }
            return parts;
        }
    }
}
