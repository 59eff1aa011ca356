-- What jobs used and who may use how much. Migrations make and change tables; they put no rows in, since an import wants
-- to find none.
comment on schema public is 'accounting of Spur';
