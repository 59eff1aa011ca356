-- Who people are, how they sign in, and what was done.

-- Secrets of this installation that nobody configured. One row.
create table installation (
    only_one    boolean primary key default true check (only_one),
    jwt_secret  text not null,
    created_at  timestamptz not null
);

create table person (
    id               uuid primary key,
    email            text not null,
    email_verified   boolean not null,
    username         text not null,
    password_hash    text,
    display_name     text,
    avatar_url       text,
    is_admin         boolean not null default false,
    is_active        boolean not null default true,
    max_gpus         integer check (max_gpus >= 0),
    totp_secret      text,
    totp_confirmed   boolean not null default false,
    totp_last_step   bigint not null default 0,
    unix_uid         bigint unique,
    unix_name        text unique,
    linked_uid       bigint,
    linked_name      text,
    created_at       timestamptz not null,
    last_login_at    timestamptz
);
create unique index person_email on person (lower(email));
create unique index person_username on person (lower(username));

-- Numbers of people on nodes are given once and never again, also after a person is gone.
create sequence unix_number as bigint minvalue 0 start 0;

-- The same person at another provider.
create table identity (
    provider   text not null,
    subject    text not null,
    person_id  uuid not null references person on delete cascade,
    email      text,
    linked_at  timestamptz not null,
    primary key (provider, subject)
);
create index identity_person on identity (person_id);

-- Somebody who signed in, on one device.
create table login (
    id            uuid primary key,
    person_id     uuid not null references person on delete cascade,
    signed_in_at  timestamptz not null,
    used_at       timestamptz not null,
    expires_at    timestamptz not null,
    ended_at      timestamptz,
    way           text not null,
    address       text not null,
    agent         text not null
);
create index login_person on login (person_id) where ended_at is null;

-- Each renews its login once; seeing one twice means that somebody has a copy.
create table refresh_token (
    hash      bytea primary key,
    login_id  uuid not null references login on delete cascade,
    used_at   timestamptz
);
create index refresh_token_login on refresh_token (login_id);

create table api_token (
    id          uuid primary key,
    person_id   uuid not null references person on delete cascade,
    name        text not null,
    hash        bytea not null unique,
    scopes      text[] not null,
    created_at  timestamptz not null,
    expires_at  timestamptz,
    used_at     timestamptz,
    revoked_at  timestamptz
);
create index api_token_person on api_token (person_id);

-- What proves something once: the link of the first administrator, invitations, new passwords, tickets of terminals.
create table one_time_code (
    hash        bytea primary key,
    kind        text not null,
    person_id   uuid references person on delete cascade,
    subject     text,
    created_at  timestamptz not null,
    expires_at  timestamptz not null,
    used_at     timestamptz
);
create index one_time_code_expiry on one_time_code (expires_at);

create table recovery_code (
    person_id  uuid not null references person on delete cascade,
    hash       bytea not null,
    used_at    timestamptz,
    primary key (person_id, hash)
);

-- On the way to another provider and back.
create table authorization_request (
    state       bytea primary key,
    browser     bytea not null,
    provider    text not null,
    verifier    text not null,
    nonce       text not null,
    person_id   uuid references person on delete cascade,
    expires_at  timestamptz not null
);

create table ssh_key (
    id           uuid primary key,
    person_id    uuid not null references person on delete cascade,
    name         text not null,
    public_key   text not null,
    fingerprint  text not null,
    created_at   timestamptz not null,
    unique (person_id, fingerprint)
);

create table audit (
    id          bigint generated always as identity primary key,
    at          timestamptz not null,
    actor_id    uuid,
    actor       text not null,
    action      text not null,
    target      text not null,
    details     text not null,
    address     text not null,
    request_id  text not null
);
create index audit_at on audit (at desc);
create index audit_actor on audit (actor_id, id desc);
