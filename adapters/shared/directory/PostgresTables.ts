/**
 * The first version of a directory in PostgreSQL: its tables, and the functions that every later one builds on.
 *
 * Each decision is one call of one function, so one statement and one transaction: a host that is frozen or cut off in
 * the middle holds no lock, and PostgreSQL prepares the statements in it once for each connection. Decisions that
 * change more than a lease take the row `book` first, one after the other: versions are visible in their order, and the
 * quota is counted without other claims.
 */

/** Time, fences and versions; hosts; sessions. Durations and times are milliseconds that the book has counted. */
const tables = `
create table book (
  one boolean primary key default true check (one),
  time bigint not null default 0,
  looked bigint not null default 0,
  swept bigint not null default 0,
  fence bigint not null default 0,
  version bigint not null default 0
) with (fillfactor = 50);

insert into book (looked) values (extract(epoch from clock_timestamp()) * 1000);

create table host (
  host_id text collate "C" primary key,
  epoch bigint not null,
  labels jsonb not null,
  capacity bigint not null,
  address text,
  used bigint not null default 0 check (used >= 0),
  state text not null default 'up' check (state in ('up', 'lost', 'gone')),
  draining boolean not null default false,
  failures bigint not null default 0,
  rest_until bigint not null default 0,
  lease_millis bigint not null,
  gone_millis bigint not null,
  renewed_at bigint not null,
  version bigint not null
) with (fillfactor = 50);

create index on host (version);

create table session (
  session_id text collate "C" primary key,
  fence bigint not null,
  tenant text collate "C" not null,
  host_id text collate "C" not null references host,
  epoch bigint not null,
  state text not null check (state in ('claimed', 'running', 'ended')),
  ending text check ((ending is null) = (state <> 'ended')),
  until bigint not null,
  version bigint not null
);

create index on session (version);

create index on session (tenant) where state <> 'ended';

create index on session (host_id) where state <> 'ended';

create index on session (until) where state <> 'running';
`

/** The shared part of the functions of decisions. `$schema` is the name of the schema. */
const parts = `
create function now_millis() returns bigint language sql volatile as
$$ select (extract(epoch from clock_timestamp()) * 1000)::bigint $$;

create function next_version() returns bigint language plpgsql as $$
declare v bigint;
begin
  update book set version = version + 1 returning version into v;
  perform pg_notify('$schema', 'changed');
  return v;
end $$;

create function set_version() returns trigger language plpgsql as $$
begin
  new.version := next_version();
  return new;
end $$;

create trigger versions before insert or update of
  epoch, labels, capacity, address, used, state, draining, failures on host
  for each row execute function set_version();

create trigger versions before insert or update on session
  for each row execute function set_version();

create function look(step bigint) returns bigint language plpgsql as $$
declare t bigint;
begin
  update book set time = time + least(step, greatest(0, now_millis() - looked)), looked = now_millis()
    returning time into t;
  return t;
end $$;

create function host_json(h host) returns jsonb language sql stable as $$
  select jsonb_build_object('hostId', h.host_id, 'epoch', h.epoch, 'labels', h.labels, 'capacity', h.capacity,
    'used', h.used, 'address', h.address, 'state', h.state, 'draining', h.draining, 'failures', h.failures,
    'version', h.version) $$;

create function session_json(s session) returns jsonb language sql stable as $$
  select jsonb_build_object('sessionId', s.session_id, 'fence', s.fence, 'tenant', s.tenant, 'hostId', s.host_id,
    'epoch', s.epoch, 'state', s.state, 'ending', s.ending, 'version', s.version) $$;

create function refusal(why text, known jsonb default null) returns jsonb language sql immutable as
$$ select jsonb_build_object('refusal', why, 'known', known) $$;

create function late_words(h host, e bigint) returns jsonb language sql immutable as $$
  select case when e < h.epoch then refusal('older epoch', to_jsonb(h.epoch))
    when e = h.epoch and h.state = 'gone' then refusal('gone epoch') end $$;

create function close_session(id text, how text, t bigint, keep bigint) returns void language plpgsql as $$
declare s session;
begin
  update session set state = 'ended', ending = how, until = t + keep
    where session_id = id and state <> 'ended' returning * into s;
  if found then update host set used = used - 1 where host_id = s.host_id; end if;
end $$;

create function start_failed(id text, t bigint, rest bigint) returns void language sql as
$$ update host set failures = failures + 1, rest_until = t + rest where host_id = id $$;

create function confirm_session(id text) returns session language plpgsql as $$
declare s session;
begin
  update session set state = 'running', until = 0 where session_id = id returning * into s;
  update host set failures = 0, rest_until = 0 where host_id = s.host_id and failures > 0;
  return s;
end $$;
`

/** In the order in which they are made. */
export const tablesAndParts: ReadonlyArray<string> = [tables, parts]
