package dev.spur.api.view;

import dev.spur.api.v1.CallStatistics;
import dev.spur.api.v1.GetStatisticsReply;
import dev.spur.api.v1.PassStatistics;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/// How busy the controller is.
public final class StatisticsTable {
    private static final long MICROS_OF_A_MINUTE = 60_000_000;

    public static final EntityTable<CallStatistics> CALLS =
            calls("stats_msg_rpc_type", "message_type").build();

    public static final EntityTable<CallStatistics> CALLERS =
            calls("stats_msg_rpc_user", "user")
                    .count("uid", "user_id", "uid", CallStatistics::getUid)
                    .build();

    public static final EntityTable<GetStatisticsReply> STATISTICS =
            plan(quick(
                            EntityTable.<GetStatisticsReply>of("statistics", "stats_msg")
                                    .instant(
                                            "since",
                                            "req_time_start",
                                            "since when it counts",
                                            GetStatisticsReply::getSinceMicros)
                                    .instant(
                                            "now",
                                            "req_time,job_states_ts",
                                            "the controller's time",
                                            GetStatisticsReply::getNowMicros)
                                    .count(
                                            "open_calls",
                                            "server_thread_count",
                                            "calls that are being answered",
                                            GetStatisticsReply::getOpenCalls)
                                    .number(
                                            "submitted",
                                            "jobs_submitted",
                                            "jobs submitted",
                                            GetStatisticsReply::getSubmitted)
                                    .number(
                                            "started",
                                            "jobs_started",
                                            "jobs started",
                                            GetStatisticsReply::getStarted)
                                    .number(
                                            "completed",
                                            "jobs_completed",
                                            "jobs completed",
                                            GetStatisticsReply::getCompleted)
                                    .number(
                                            "cancelled",
                                            "jobs_canceled",
                                            "jobs cancelled",
                                            GetStatisticsReply::getCancelled)
                                    .number(
                                            "failed",
                                            "jobs_failed",
                                            "jobs failed",
                                            GetStatisticsReply::getFailed)
                                    .count(
                                            "pending",
                                            "jobs_pending",
                                            "jobs that wait now",
                                            GetStatisticsReply::getPending)
                                    .count(
                                            "running",
                                            "jobs_running",
                                            "jobs that run now",
                                            GetStatisticsReply::getRunning)))
                    .list(
                            "calls",
                            "rpcs_by_message_type",
                            "calls by what was asked",
                            CALLS,
                            GetStatisticsReply::getCallsList)
                    .list(
                            "callers",
                            "rpcs_by_user",
                            "calls by who asked",
                            CALLERS,
                            GetStatisticsReply::getCallersList)
                    .build();

    private StatisticsTable() {}

    private static EntityTable.Builder<CallStatistics> calls(String structure, String name) {
        return EntityTable.<CallStatistics>of("call", structure)
                .text("name", name, "what or who", CallStatistics::getName)
                .number("count", "count", "how often", CallStatistics::getCount)
                .number(
                        "total_micros",
                        "total_time",
                        "microseconds in all",
                        CallStatistics::getTotalMicros)
                .number(
                        "",
                        "average_time",
                        "",
                        call -> call.getTotalMicros() / Math.max(1, call.getCount()));
    }

    private static EntityTable.Builder<GetStatisticsReply> quick(
            EntityTable.Builder<GetStatisticsReply> table) {
        return table.number(
                        "quick_passes",
                        "schedule_cycle_total",
                        "passes that start what fits",
                        of(GetStatisticsReply::getQuick, PassStatistics::getCycles))
                .number(
                        "quick_last_micros",
                        "schedule_cycle_last",
                        "microseconds of the last of them",
                        of(GetStatisticsReply::getQuick, PassStatistics::getLastTookMicros))
                .number(
                        "quick_max_micros",
                        "schedule_cycle_max",
                        "microseconds of the longest of them",
                        of(GetStatisticsReply::getQuick, PassStatistics::getMaxMicros))
                .number(
                        "",
                        "schedule_cycle_sum",
                        "",
                        of(GetStatisticsReply::getQuick, PassStatistics::getTotalMicros))
                .number(
                        "",
                        "schedule_cycle_mean",
                        "",
                        reply -> mean(reply.getQuick(), reply.getQuick().getTotalMicros()))
                .number(
                        "",
                        "schedule_cycle_depth",
                        "",
                        of(GetStatisticsReply::getQuick, PassStatistics::getTotalLookedAt))
                .number(
                        "",
                        "schedule_cycle_mean_depth",
                        "",
                        reply -> mean(reply.getQuick(), reply.getQuick().getTotalLookedAt()))
                .number(
                        "",
                        "schedule_cycle_per_minute",
                        "",
                        reply ->
                                reply.getQuick().getCycles()
                                        / Math.max(
                                                1,
                                                (reply.getNowMicros() - reply.getSinceMicros())
                                                        / MICROS_OF_A_MINUTE))
                .count("", "schedule_queue_length", "", GetStatisticsReply::getPending);
    }

    private static EntityTable.Builder<GetStatisticsReply> plan(
            EntityTable.Builder<GetStatisticsReply> table) {
        return table.number(
                        "plan_passes",
                        "bf_cycle_counter",
                        "passes that look at everything",
                        of(GetStatisticsReply::getPlan, PassStatistics::getCycles))
                .number(
                        "plan_last_micros",
                        "bf_cycle_last",
                        "microseconds of the last of them",
                        of(GetStatisticsReply::getPlan, PassStatistics::getLastTookMicros))
                .number(
                        "plan_max_micros",
                        "bf_cycle_max",
                        "microseconds of the longest of them",
                        of(GetStatisticsReply::getPlan, PassStatistics::getMaxMicros))
                .number(
                        "",
                        "bf_cycle_sum",
                        "",
                        of(GetStatisticsReply::getPlan, PassStatistics::getTotalMicros))
                .number(
                        "",
                        "bf_cycle_mean",
                        "",
                        reply -> mean(reply.getPlan(), reply.getPlan().getTotalMicros()))
                .instant(
                        "plan_at",
                        "bf_when_last_cycle",
                        "when that was",
                        of(GetStatisticsReply::getPlan, PassStatistics::getLastAtMicros))
                .number(
                        "plan_last_jobs",
                        "bf_last_depth,bf_last_depth_try,bf_queue_len",
                        "jobs it looked at",
                        of(GetStatisticsReply::getPlan, PassStatistics::getLastLookedAt))
                .number(
                        "",
                        "bf_depth_sum,bf_depth_try_sum,bf_queue_len_sum",
                        "",
                        of(GetStatisticsReply::getPlan, PassStatistics::getTotalLookedAt))
                .number(
                        "",
                        "bf_depth_mean,bf_depth_mean_try,bf_queue_len_mean",
                        "",
                        reply -> mean(reply.getPlan(), reply.getPlan().getTotalLookedAt()))
                .number(
                        "plan_started",
                        "bf_backfilled_jobs,bf_last_backfilled_jobs",
                        "jobs it started",
                        of(GetStatisticsReply::getPlan, PassStatistics::getStarted));
    }

    private static ToLongFunction<GetStatisticsReply> of(
            Function<GetStatisticsReply, PassStatistics> passes,
            ToLongFunction<PassStatistics> value) {
        return reply -> value.applyAsLong(passes.apply(reply));
    }

    private static long mean(PassStatistics passes, long total) {
        return total / Math.max(1, passes.getCycles());
    }
}
