-- What was done and what it took. Times of jobs are cut to whole seconds here, as people see and pay for them; the
-- records have them exactly.

create table cluster (
    cluster_id    smallint generated always as identity primary key,
    name          text not null unique,
    -- The last record of the controllers that is stored here. It and what it tells are committed together.
    last_entry    bigint not null default 0,
    last_ordinal  bigint not null default 0,
    stored_until  timestamptz,
    gaps          bigint not null default 0,
    -- Hours before this are rolled up, except for those in hour_to_roll.
    rolled_until  timestamptz,
    control_host  text not null default '',
    control_port  integer not null default 0
);

create table tres (
    cluster_id  smallint not null references cluster,
    tres_id     integer not null,
    type        text not null,
    name        text not null,
    primary key (cluster_id, tres_id)
);

-- What the cluster had, and since when; the open interval is what it has.
create table capacity (
    cluster_id  smallint not null references cluster,
    from_at     timestamptz not null,
    until_at    timestamptz not null default 'infinity',
    nodes       text not null,
    tres        integer[] not null,
    amounts     bigint[] not null,
    primary key (cluster_id, from_at)
);

-- Who pays for jobs.
create table payer (
    payer_id        integer generated always as identity primary key,
    cluster_id      smallint not null references cluster,
    association_id  bigint not null,
    account         text not null,
    user_name       text not null,
    wckey           text not null,
    unique (cluster_id, association_id, account, user_name, wckey)
);

create sequence job_index;

-- One row for each attempt of a job. `record` is all that the controllers said; the columns are what is searched and
-- summed up.
create table job (
    cluster_id      smallint not null,
    job_id          bigint not null,
    submitted_at    timestamptz not null,
    attempt         bigint not null,
    db_index        bigint not null default nextval('job_index'),
    -- The array or the heterogeneous job that it belongs to, else itself.
    leader_id       bigint not null,
    part            bigint not null, -- within its leader; waiting tasks of an array come last
    uid             bigint not null,
    payer_id        integer not null,
    user_name       text not null,
    account         text not null,
    name            text not null,
    state           text not null,
    reservation     text not null,
    eligible_at     timestamptz,
    started_at      timestamptz,
    ended_at        timestamptz not null, -- infinity: it has not
    waiting_cpus    bigint not null,      -- of all tasks that wait in this row
    tres            integer[] not null,
    amounts         bigint[] not null,
    script          bytea,
    environment     bytea,
    record          bytea not null,
    primary key (cluster_id, job_id, submitted_at, attempt)
) partition by range (submitted_at);

create index job_by_leader on job (cluster_id, leader_id) where leader_id <> job_id;
create index job_by_end on job (ended_at);
create index job_by_user on job (uid, ended_at);
create index job_by_account on job (account, ended_at);
create index job_by_name on job (name, ended_at);
create index job_by_state on job (state, ended_at) where state not in ('COMPLETED', 'PENDING', 'RUNNING');

create table step (
    cluster_id    smallint not null,
    job_id        bigint not null,
    submitted_at  timestamptz not null,
    attempt       bigint not null,
    step_id       bigint not null,
    record        bytea not null,
    primary key (cluster_id, job_id, submitted_at, attempt, step_id)
) partition by range (submitted_at);

-- The months of `job` and `step`. A row makes the partitions of its month, and takes them away with it. Nothing in a month was in use after
-- `in_use_until`. (By its name this table comes before `job` when a copy is read.)
create table accounting_month (
    month         timestamptz primary key,
    in_use_until  timestamptz not null default 'infinity'
);

create function make_partitions() returns trigger language plpgsql as $$
declare
    suffix text := to_char(new.month at time zone 'UTC', 'YYYY_MM');
    month_after timestamptz := (new.month at time zone 'UTC' + interval '1 month') at time zone 'UTC';
begin
    execute format('create table job_%s partition of job for values from (%L) to (%L)', suffix, new.month, month_after);
    execute format('create table step_%s partition of step for values from (%L) to (%L)', suffix, new.month, month_after);
    return null;
end
$$;
create function drop_partitions() returns trigger language plpgsql as $$
declare
    suffix text := to_char(old.month at time zone 'UTC', 'YYYY_MM');
begin
    execute format('drop table job_%s', suffix);
    execute format('drop table step_%s', suffix);
    return null;
end
$$;
create trigger drop_partitions after delete on accounting_month for each row execute function drop_partitions();
create trigger make_partitions after insert on accounting_month for each row execute function make_partitions();

create table suspension (
    cluster_id    smallint not null,
    job_id        bigint not null,
    submitted_at  timestamptz not null,
    attempt       bigint not null,
    from_at       timestamptz not null,
    until_at      timestamptz not null default 'infinity',
    primary key (cluster_id, job_id, submitted_at, attempt, from_at)
);
create index suspension_by_end on suspension (cluster_id, until_at);

-- Scripts and environments, by their SHA-256.
create table stored_file (
    sha256     bytea primary key,
    content    bytea not null,
    stored_at  timestamptz not null
);

create table user_uid (
    cluster_id  smallint not null references cluster,
    user_name   text not null,
    uid         bigint not null,
    primary key (cluster_id, user_name, uid)
);

-- A node that did not serve: from when, until when, why.
create table node_event (
    cluster_id   smallint not null references cluster,
    node         text not null,
    from_at      timestamptz not null,
    until_at     timestamptz not null default 'infinity',
    state        text not null,
    reason       text not null,
    reason_user  text not null,
    tres         integer[] not null,
    amounts      bigint[] not null,
    primary key (cluster_id, node, from_at)
);
create index node_event_by_end on node_event (cluster_id, until_at);

create table reservation (
    cluster_id      smallint not null references cluster,
    reservation_id  bigint not null,
    name            text not null,
    from_at         timestamptz not null,
    until_at        timestamptz not null,
    nodes           text not null,
    flags           text[] not null,
    users           text[] not null,
    accounts        text[] not null,
    tres            integer[] not null,
    amounts         bigint[] not null,
    primary key (cluster_id, reservation_id, name, from_at)
);
create index reservation_by_end on reservation (cluster_id, until_at);

-- As sacctmgr shows them: what was changed, by whom.
create table transaction (
    transaction_id  bigint generated always as identity primary key,
    cluster_id      smallint not null references cluster,
    at              timestamptz not null,
    action          text not null,
    actor           text not null,
    selection       text not null,
    info            text not null,
    accounts        text[] not null,
    users           text[] not null
);
create index transaction_by_time on transaction (at);

-- Copies of what the controllers keep, with the time in which it was so: old jobs keep their names.
create table association (
    cluster_id      smallint not null references cluster,
    association_id  bigint not null,
    from_at         timestamptz not null,
    until_at        timestamptz not null default 'infinity',
    account         text not null,
    user_name       text not null,
    partition       text not null,
    parent_account  text not null,
    record          bytea not null,
    primary key (cluster_id, association_id, from_at)
);
create table account (
    cluster_id  smallint not null references cluster,
    name        text not null,
    from_at     timestamptz not null,
    until_at    timestamptz not null default 'infinity',
    parent      text not null,
    record      bytea not null,
    primary key (cluster_id, name, from_at)
);
create table known_user (
    cluster_id  smallint not null references cluster,
    name        text not null,
    from_at     timestamptz not null,
    until_at    timestamptz not null default 'infinity',
    record      bytea not null,
    primary key (cluster_id, name, from_at)
);
create table qos (
    cluster_id  smallint not null references cluster,
    name        text not null,
    from_at     timestamptz not null,
    until_at    timestamptz not null default 'infinity',
    record      bytea not null,
    primary key (cluster_id, name, from_at)
);

-- Hours before cluster.rolled_until of which something was learned later.
create table hour_to_roll (
    cluster_id  smallint not null references cluster,
    hour        timestamptz not null,
    primary key (cluster_id, hour)
);

-- Amount times seconds, by hour, and summed up by day and by month (of UTC: a window in any zone is made of months,
-- days and hours, and of the raw rows where it begins or ends within an hour).
create table usage (
    span      text not null check (span in ('hour', 'day', 'month')),
    from_at   timestamptz not null,
    payer_id  integer not null references payer,
    tres_id   integer not null,
    seconds   bigint not null,
    primary key (span, from_at, payer_id, tres_id)
);

create table cluster_usage (
    span          text not null check (span in ('hour', 'day', 'month')),
    from_at       timestamptz not null,
    cluster_id    smallint not null references cluster,
    tres_id       integer not null,
    reported      bigint not null,
    allocated     bigint not null,
    down          bigint not null,
    planned_down  bigint not null,
    idle          bigint not null,
    planned       bigint not null,
    primary key (span, from_at, cluster_id, tres_id)
);
