-- Shells of sessions by the names of their tabs: steps that outlive whoever looks at them, and this daemon.
create table session_shell (
    session_id  uuid not null,
    name        text not null,
    run         text not null, -- of the session: its job and attempt
    request_id  text not null,
    step        text,
    started_at  timestamptz not null,
    primary key (session_id, name)
);

-- Browsers that have come to a port of a session by a link of ours.
create table port_visit (
    hash        bytea primary key,
    session_id  uuid not null,
    person_id   uuid not null references person on delete cascade,
    as_admin    boolean not null,
    login_id    uuid references login on delete cascade,
    token_id    uuid references api_token on delete cascade,
    expires_at  timestamptz not null
);
create index port_visit_expiry on port_visit (expires_at);

-- SSH knows people by their keys.
create index ssh_key_fingerprint on ssh_key (fingerprint);
