/** The functions of PostgreSQL that decide, each of them one operation of a directory. */

const hosts = `
create function announce(said jsonb, lease bigint, gone bigint, step bigint, keep bigint) returns jsonb
language plpgsql as $$
declare t bigint; h host; late jsonb; over jsonb; s session;
begin
  t := look(step);
  select * into h from host where host_id = said->>'hostId' for update;
  late := late_words(h, (said->>'epoch')::bigint);
  if late is not null then return late; end if;
  if (said->>'epoch')::bigint > h.epoch then
    for s in select * from session where host_id = h.host_id and state <> 'ended' loop
      perform close_session(s.session_id, 'host restarted', t, keep);
    end loop;
  end if;
  insert into host as old (host_id, epoch, labels, capacity, address, lease_millis, gone_millis, renewed_at, version)
    values (said->>'hostId', (said->>'epoch')::bigint, said->'labels', (said->>'capacity')::bigint,
      said->>'address', lease, greatest(lease, gone), t, 0)
    on conflict (host_id) do update set epoch = excluded.epoch, labels = excluded.labels,
      capacity = excluded.capacity, address = excluded.address, state = 'up', lease_millis = excluded.lease_millis,
      gone_millis = excluded.gone_millis, renewed_at = t
    returning * into h;
  over := coalesce(reconcile(h, said->'held', t, keep), '[]');
  return jsonb_build_object('leaseMillis', lease, 'draining', h.draining, 'over', over,
    'version', (select version from book));
end $$;

create function reconcile(h host, held jsonb, t bigint, keep bigint) returns jsonb language plpgsql as $$
declare one jsonb; s session; id text; number bigint; over jsonb := '[]';
begin
  if jsonb_typeof(held) is distinct from 'object' then return over; end if;
  for s in select * from session where host_id = h.host_id
      and state = 'running' and version <= (held->>'upTo')::bigint
      and session_id not in (select e->>'sessionId' from jsonb_array_elements(held->'sessions') e) loop
    perform close_session(s.session_id, 'host forgot it', t, keep);
  end loop;
  for one in select * from jsonb_array_elements(held->'sessions') loop
    id := one->>'sessionId';
    number := (one->>'fence')::bigint;
    select * into s from session where session_id = id;
    if found and s.fence = number and s.state <> 'ended' and s.host_id = h.host_id and s.epoch = h.epoch then
      if s.state = 'claimed' then perform confirm_session(id); end if;
    elsif s.fence >= number then
      over := over || to_jsonb(id);
    else
      perform close_session(id, 'host forgot it', t, keep);
      update book set fence = greatest(fence, number);
      update host set used = used + 1 where host_id = h.host_id;
      insert into session values (id, number, one->>'tenant', h.host_id, h.epoch, 'running', null, 0, 0)
        on conflict (session_id) do update set fence = number, tenant = excluded.tenant, host_id = h.host_id,
          epoch = h.epoch, state = 'running', ending = null, until = 0;
    end if;
  end loop;
  return over;
end $$;

create function renew(id text, e bigint, step bigint) returns jsonb language plpgsql as $$
declare t bigint; h host; late jsonb;
begin
  select time + least(step, greatest(0, now_millis() - looked)) into t from book;
  update host set renewed_at = greatest(renewed_at, t) where host_id = id and epoch = e and state = 'up'
    returning * into h;
  if not found then
    t := look(step);
    select * into h from host where host_id = id for update;
    late := late_words(h, e);
    if late is not null then return late; end if;
    if h.epoch is distinct from e then return refusal('not announced'); end if;
    update host set renewed_at = t, state = 'up' where host_id = id;
  end if;
  return jsonb_build_object('leaseMillis', h.lease_millis, 'draining', h.draining);
end $$;

create function drain(id text, drains boolean, step bigint) returns jsonb language plpgsql as $$
declare h host;
begin
  perform look(step);
  update host set draining = drains where host_id = id and draining <> drains;
  select * into h from host where host_id = id;
  if not found then return refusal('unknown host'); end if;
  return host_json(h);
end $$;

create function sweep(step bigint, keep bigint, rest bigint, tick bigint) returns bigint language plpgsql as $$
declare t bigint; h host; s session; v bigint;
begin
  select version into v from book where abs(now_millis() - swept) < tick / 2;
  if found then return v; end if;
  t := look(step);
  update book set swept = looked;
  delete from session where state = 'ended' and until <= t;
  for s in select * from session where state = 'claimed' and until <= t loop
    perform close_session(s.session_id, 'never started', t, keep);
    perform start_failed(s.host_id, t, rest);
  end loop;
  for h in select * from host where state <> 'gone' and t - renewed_at > lease_millis for update loop
    if t - h.renewed_at > h.gone_millis then
      for s in select * from session where host_id = h.host_id and state <> 'ended' loop
        perform close_session(s.session_id, 'host gone', t, keep);
      end loop;
      update host set state = 'gone' where host_id = h.host_id;
    elsif h.state = 'up' then
      update host set state = 'lost' where host_id = h.host_id;
    end if;
  end loop;
  select version into v from book;
  return v;
end $$;
`

const sessions = `
create function obstacle(h host, wanted jsonb, t bigint, most bigint) returns text language sql stable as $$
  select case
    when not h.labels @> wanted then 'other labels'
    when h.state <> 'up' or t - h.renewed_at > h.lease_millis then 'lost'
    when h.draining then 'draining'
    when h.used >= h.capacity then 'full'
    when h.failures >= most and (t < h.rest_until
      or exists (select from session s where s.host_id = h.host_id and s.state = 'claimed'))
      then 'resting after failed starts'
  end $$;

create function claim(id text, whose text, quota bigint, wanted jsonb, wait bigint, most bigint, step bigint)
returns jsonb language plpgsql as $$
declare t bigint; h host; s session; number bigint;
begin
  t := look(step);
  select * into s from session where session_id = id;
  if found and s.tenant <> whose then return refusal('other tenant'); end if;
  if found and s.state <> 'ended' then return session_json(s); end if;
  if quota is not null and
    (select count(*) from session where tenant = whose and state <> 'ended') >= quota then
    return refusal('quota');
  end if;
  with two as (
    select host_id, failures, used, capacity from host
      where obstacle(host, wanted, t, most) is null order by random() limit 2)
  select host.* into h from two join host using (host_id)
    order by two.failures, two.used::numeric / two.capacity, random() limit 1 for update of host;
  if not found then
    return refusal('no host', (select jsonb_object_agg(why, hosts) from (
      select coalesce(obstacle(host, wanted, t, most), 'lost') as why, count(*) as hosts from host group by 1
    ) counted));
  end if;
  update host set used = used + 1 where host_id = h.host_id;
  update book set fence = fence + 1 returning fence into number;
  insert into session values (id, number, whose, h.host_id, h.epoch, 'claimed', null, t + wait, 0)
    on conflict (session_id) do update set fence = number, host_id = h.host_id, epoch = h.epoch,
      state = 'claimed', ending = null, until = t + wait
    returning * into s;
  return session_json(s);
end $$;

create function confirm(id text, number bigint, step bigint) returns jsonb language plpgsql as $$
declare s session;
begin
  perform look(step);
  select * into s from session where session_id = id;
  if not found then return refusal('unknown session'); end if;
  if s.fence <> number then return refusal('other fence', to_jsonb(s.fence)); end if;
  if s.state = 'ended' then return refusal('ended', to_jsonb(s.ending)); end if;
  if s.state = 'claimed' then s := confirm_session(id); end if;
  return session_json(s);
end $$;

create function end_session(id text, number bigint, how text, step bigint, keep bigint, rest bigint)
returns jsonb language plpgsql as $$
declare t bigint; s session;
begin
  t := look(step);
  select * into s from session where session_id = id;
  if not found then return refusal('unknown session'); end if;
  if s.fence <> number then return refusal('other fence', to_jsonb(s.fence)); end if;
  if s.state <> 'ended' then
    perform close_session(id, how, t, keep);
    if how = 'start failed' and s.state = 'claimed' then perform start_failed(s.host_id, t, rest); end if;
    select * into s from session where session_id = id;
  end if;
  return session_json(s);
end $$;

create function lookup(id text) returns jsonb language sql stable as $$
  select coalesce((select jsonb_build_object('session', session_json(s), 'host', host_json(h))
    from session s join host h using (host_id) where s.session_id = id), refusal('unknown session')) $$;

create function list(host_wanted text, tenant_wanted text, after text, most bigint) returns jsonb
language sql stable as $$
  with part as (select s, row_number() over (order by session_id) as place from session s
    where state <> 'ended' and session_id > after
      and (host_wanted is null or host_id = host_wanted)
      and (tenant_wanted is null or tenant = tenant_wanted)
    order by session_id limit most + 1)
  select jsonb_build_object(
    'hosts', (select coalesce(jsonb_agg(host_json(h) order by host_id), '[]') from host h
      where host_wanted is null or host_id = host_wanted),
    'sessions', (select coalesce(jsonb_agg(session_json(s) order by place), '[]') from part where place <= most),
    'more', (select count(*) > most from part)) $$;

create function changes(since bigint) returns jsonb language sql stable as $$
  select jsonb_build_object('version', (select version from book), 'changes', (
    select coalesce(jsonb_agg(change order by version), '[]') from (
      select version, jsonb_build_object('kind', 'host', 'host', host_json(h)) as change
        from host h where version > since
      union all
      select version, jsonb_build_object('kind', 'session', 'session', session_json(s))
        from session s where version > since and (since > 0 or state <> 'ended')) found)) $$;
`

/** Callers need not name the schema. */
const settings = `
do $do$
declare name text;
begin
  for name in select oid::regprocedure::text from pg_proc
    where pronamespace = '$schema'::regnamespace and proname in
    ('announce', 'renew', 'drain', 'sweep', 'claim', 'confirm', 'end_session', 'lookup', 'list', 'changes')
  loop
    execute format('alter function %s set search_path = $schema, pg_temp', name);
  end loop;
end $do$;
`

/** In the order in which they are made. */
export const decisions: ReadonlyArray<string> = [hosts, sessions, settings]
