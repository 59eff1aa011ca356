-- Sessions, what happened to them, and the projects that they belong to.

-- People who work together; an account below "cloud" on the cluster.
create table project (
    id          uuid primary key,
    name        text not null,
    title       text not null,
    max_gpus    integer check (max_gpus >= 0),
    created_by  uuid references person on delete set null,
    created_at  timestamptz not null,
    closed_at   timestamptz
);
create unique index project_name on project (name);

create table project_member (
    project_id  uuid not null references project on delete cascade,
    person_id   uuid not null references person on delete cascade,
    role        text not null check (role in ('owner', 'member', 'viewer')),
    added_at    timestamptz not null,
    primary key (project_id, person_id)
);
create index project_member_person on project_member (person_id);

create table session (
    id                 uuid primary key,
    person_id          uuid not null references person,
    project_id         uuid references project,
    name               text not null,
    state              text not null check (state in ('creating', 'pending', 'running', 'stopping',
                                                      'completed', 'failed', 'cancelled', 'suspended')),
    reason             text,
    backend            text not null,
    gpu_type           text not null,
    gpu_count          integer not null check (gpu_count >= 0),
    cpus               integer not null check (cpus > 0),
    memory_mb          bigint not null check (memory_mb >= 0),
    disk_mb            bigint not null check (disk_mb >= 0),
    template           text,
    image              text not null,
    partition          text,
    time_limit_min     integer not null check (time_limit_min > 0),
    idle_min           integer check (idle_min > 0),
    ssh_enabled        boolean not null,
    env                jsonb not null,
    secrets            bytea,                       -- sealed: see SealedSecrets
    unix_uid           bigint not null,
    unix_name          text not null,
    unix_linked        boolean not null,
    submit_key         text not null unique,        -- by which the cluster knows the submission again
    spur_job_id        bigint,
    spur_attempt       integer not null default 0,
    node_name          text,
    created_at         timestamptz not null,
    started_at         timestamptz,
    ended_at           timestamptz,
    ends_at            timestamptz,
    expected_start     timestamptz,
    queue_position     integer,
    error_message      text,
    warned_at          timestamptz,                 -- for which end its owner was warned
    used_at            timestamptz,                 -- when somebody or something last worked in it
    stop_requested_at  timestamptz,
    stop_reason        text,
    deleted_at         timestamptz,
    revision           bigint not null default 1
);
create index session_person on session (person_id, created_at desc, id) where deleted_at is null;
create index session_project on session (project_id, created_at desc, id) where deleted_at is null;
create index session_created on session (created_at desc, id) where deleted_at is null;
create unique index session_job on session (spur_job_id) where spur_job_id is not null
    and state in ('creating', 'pending', 'running', 'stopping', 'suspended');
create index session_live on session (state)
    where state in ('creating', 'pending', 'running', 'stopping', 'suspended');

-- What happened, in the order in which it became known. Streams of events go on behind an id.
create table session_event (
    id          bigint generated always as identity primary key,
    session_id  uuid not null references session on delete cascade,
    person_id   uuid not null,
    project_id  uuid,
    at          timestamptz not null,
    kind        text not null,
    text        text not null,
    revision    bigint not null
);
create index session_event_session on session_event (session_id, id);

-- A request that is repeated with its key gets the session that the first one made.
create table session_request (
    person_id   uuid not null references person on delete cascade,
    key         text not null,
    body_hash   bytea not null,
    session_id  uuid not null references session on delete cascade,
    created_at  timestamptz not null,
    primary key (person_id, key)
);

-- What a session used at times, as its nodes said.
create table session_usage (
    session_id    uuid not null references session on delete cascade,
    at            timestamptz not null,
    cpu_seconds   double precision not null,
    cpu_load      double precision,                 -- cpus in use since the row before
    memory_bytes  bigint not null,
    primary key (session_id, at)
);

-- Up to where the cluster's changes have been taken in. One row.
create table cluster_position (
    only_one  boolean primary key default true check (only_one),
    cursor    text not null,
    at        timestamptz not null
);
