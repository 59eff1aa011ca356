create table account (
    name   text primary key,
    parent text references account
);

create table job (
    id         bigint generated always as identity primary key,
    account    text not null references account,
    name       text not null,
    gpus       integer,
    submitted  timestamptz not null,
    label      text generated always as (account || '/' || name) stored,
    script     bytea
);
