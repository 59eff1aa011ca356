-- A month's partitions are made by themselves and attached then: who makes a partition in place waits for all who read, and all who come to
-- read wait behind him.
create or replace function make_partitions() returns trigger language plpgsql as $$
declare
    suffix text := to_char(new.month at time zone 'UTC', 'YYYY_MM');
    month_after timestamptz := (new.month at time zone 'UTC' + interval '1 month') at time zone 'UTC';
    parent text;
begin
    foreach parent in array array['job', 'step'] loop
        execute format('create table %I (like %I including all)', parent || '_' || suffix, parent);
        execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, parent || '_' || suffix, new.month, month_after);
    end loop;
    return null;
end
$$;
