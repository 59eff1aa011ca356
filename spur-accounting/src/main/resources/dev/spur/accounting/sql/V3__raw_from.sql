-- What ended before this was purged: the sums of these hours stay as they are, whatever is learned of them later.
alter table cluster add column raw_from timestamptz;
-- The cluster whose records these are, as its controllers say. One that was made anew under the same name has another.
alter table cluster add column identity text not null default '';
