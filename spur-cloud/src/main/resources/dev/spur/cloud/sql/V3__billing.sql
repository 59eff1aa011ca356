-- What sessions cost. Rows about money outlive what they are about.

-- A price holds until the next one of the same resource begins.
create table price (
    id          uuid primary key,
    resource    text not null,                       -- cpu, gpu (any type without a price of its own) or gpu:TYPE
    per_hour    numeric(18, 6) not null check (per_hour >= 0),
    valid_from  timestamptz not null,
    created_at  timestamptz not null,
    created_by  text not null,
    unique (resource, valid_from)
);

-- A line of the bill: an attempt of a session's job, or the part of it that had one price.
create table usage_record (
    id                 uuid primary key,
    session_id         uuid not null,
    person_id          uuid not null,
    project_id         uuid,
    job                bigint not null,
    attempt            integer not null,
    piece              integer not null,
    gpu_type           text not null,
    gpu_count          integer not null check (gpu_count >= 0),
    cpus               integer not null check (cpus >= 0),
    started_at         timestamptz not null,
    ended_at           timestamptz,                  -- null: it runs
    seconds            bigint not null check (seconds >= 0),      -- of an ended one, less those it was suspended
    suspended_seconds  bigint not null check (suspended_seconds >= 0),
    suspended_since    timestamptz,
    gpu_per_hour       numeric(18, 6) not null,
    cpu_per_hour       numeric(18, 6) not null,
    free_because       text,
    unique (session_id, job, attempt, piece)
);
create index usage_record_person on usage_record (person_id, started_at);
create index usage_record_project on usage_record (project_id, started_at);
create index usage_record_started on usage_record (started_at);
create index usage_record_open on usage_record (session_id) where ended_at is null;

-- Sessions of which accounting has said the last word: their lines do not change any more.
create table settled_session (
    session_id  uuid primary key,
    settled_at  timestamptz not null
);

-- What somebody may spend in a month (UTC).
create table budget (
    id          uuid primary key,
    person_id   uuid references person on delete cascade,
    project_id  uuid,
    per_month   numeric(18, 4) not null check (per_month >= 0),
    alerts      integer[] not null,                  -- at so many percent
    hard_stop   boolean not null,                    -- at 100 percent sessions are stopped and none is launched
    created_at  timestamptz not null,
    check ((person_id is null) <> (project_id is null))
);
create unique index budget_person on budget (person_id) where person_id is not null;
create unique index budget_project on budget (project_id) where project_id is not null;

-- Each once a month.
create table budget_alert (
    id         bigint generated always as identity primary key,
    budget_id  uuid not null references budget on delete cascade,
    month      date not null,
    percent    integer not null,
    spent      numeric(18, 4) not null,
    at         timestamptz not null,
    unique (budget_id, month, percent)
);
