import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Cpu, Zap } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { ApiError, call, newRequestId, troubleOf } from '~/api/client';
import { liveJobsQuery, nodesQuery } from '~/api/cluster';
import { Loaded } from '~/api/Loaded';
import {
  type GpuPool,
  gpusQuery,
  type LaunchWish,
  pricePerHour,
  pricesQuery,
  type Session,
  sessionsQuery,
  type Template,
  templatesQuery,
} from '~/api/sessions';
import { keysQuery } from '~/features/settings/Keys';
import { Button } from '~/ui/Button';
import { Card } from '~/ui/Card';
import { CommandLine } from '~/ui/Copy';
import { classes } from '~/ui/classes';
import { ErrorNotice, Skeleton } from '~/ui/Feedback';
import { CheckField, Choice, Slider, TextField } from '~/ui/Field';
import { bytes, money, plural } from '~/ui/numbers';
import { Page } from '~/ui/Page';
import { ClockTime, durationWords, RelativeTime, useNow } from '~/ui/Time';
import { biggestNode, countChoices, freest, launchLine } from './choices';
import { chargeOf, cpusWith, type Start, startOf } from './estimate';

const durations = [60, 240, 480, 1440, 4320] as const;

/** One screen: hardware, environment, time on the left; what one gets and what it costs on the right. */
export function NewSessionPage() {
  const [parameters] = useSearchParams();
  const gpus = useQuery(gpusQuery());
  const templates = useQuery(templatesQuery());
  return (
    <Page title="Launch a session">
      <Loaded query={gpus} skeleton={<Skeleton className="h-96 w-full" />}>
        {(pools) => (
          <Loaded query={templates} skeleton={<Skeleton className="h-96 w-full" />}>
            {(known) => (
              <Form
                pools={pools}
                templates={known}
                first={{
                  gpu: parameters.get('gpu') ?? undefined,
                  count: Number(parameters.get('count') ?? 1),
                }}
              />
            )}
          </Loaded>
        )}
      </Loaded>
    </Page>
  );
}

function Form({
  pools,
  templates,
  first,
}: {
  pools: readonly GpuPool[];
  templates: readonly Template[];
  first: { gpu: string | undefined; count: number };
}) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const keys = useQuery(keysQuery());
  const [gpuType, setGpuType] = useState(first.gpu ?? freest(pools)?.gpu_type ?? 'none');
  const [gpuCount, setGpuCount] = useState(first.gpu === 'none' ? 0 : Math.max(1, first.count));
  const [template, setTemplate] = useState(templates.find((each) => each.available)?.name ?? '');
  const [minutes, setMinutes] = useState<number>(240);
  const [name, setName] = useState('');
  const [ssh, setSsh] = useState(true);
  const [cpus, setCpus] = useState(4);
  // One intention, one id: a second click after a lost answer is the same launch.
  const requestId = useRef(newRequestId());
  const pool = pools.find((each) => each.gpu_type === gpuType);
  const count = gpuType === 'none' ? 0 : Math.max(1, gpuCount);
  const wish: LaunchWish = {
    name: name.trim() || suggestedName(gpuType),
    gpu_type: gpuType,
    gpu_count: count,
    ...(template ? { template } : {}),
    ...(gpuType === 'none' ? { cpus } : {}),
    ssh_enabled: ssh,
    time_limit_min: minutes,
  };
  const now = useNow();
  const nodes = useQuery(nodesQuery());
  const jobs = useQuery(liveJobsQuery());
  const prices = useQuery(pricesQuery());
  const asked = { gpuType, gpuCount: count, cpus: wish.cpus ?? cpusWith(nodes.data ?? [], gpuType, count) };
  const start = nodes.data && jobs.data && startOf(asked, nodes.data, jobs.data);
  const charge = chargeOf(asked, minutes, prices.data ?? [], now);
  const launch = useMutation({
    mutationFn: () =>
      call<Session>('/api/sessions', { method: 'POST', body: wish, idempotencyKey: requestId.current }),
    onSuccess: (session) => {
      void client.invalidateQueries({ queryKey: sessionsQuery().queryKey });
      navigate(`/sessions/${session.id}`);
    },
    onError: (error) => {
      // An answer was given: the next click is a new intention.
      if (error instanceof ApiError && !error.unreachable) requestId.current = newRequestId();
    },
  });
  const fields = launch.error instanceof ApiError ? launch.error.fields : {};

  return (
    <div className="grid items-start grid-cols-1 gap-6 lg:grid-cols-[minmax(0,1fr)_340px]">
      <div className="flex flex-col gap-8">
        <Part title="Hardware">
          <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
            {pools.map((each) => (
              <HardwareCard
                key={each.gpu_type}
                pool={each}
                chosen={each.gpu_type === gpuType}
                onChoose={() => {
                  setGpuType(each.gpu_type);
                  setGpuCount(Math.max(1, Math.min(gpuCount, biggestNode(each))));
                }}
              />
            ))}
            <PickCard
              chosen={gpuType === 'none'}
              onChoose={() => setGpuType('none')}
              group="Hardware"
              name="CPU only"
            >
              <span className="flex items-center gap-2 font-semibold">
                <Cpu aria-hidden="true" className="size-4" /> CPU only
              </span>
              <span className="text-ink-2">To edit, copy files, and try things out.</span>
            </PickCard>
          </div>
          {pool ? (
            <Choice
              label="How many GPUs"
              value={count}
              onChange={setGpuCount}
              options={countChoices(pool).map(({ count: number, because }) => ({
                value: number,
                text: String(number),
                because,
              }))}
            />
          ) : (
            <Choice
              label="How many CPUs"
              value={cpus}
              onChange={setCpus}
              options={[1, 2, 4, 8, 16].map((number) => ({ value: number, text: plural(number, 'CPU') }))}
            />
          )}
        </Part>
        <Part title="Environment">
          <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
            {templates.length === 0 && (
              <PickCard chosen onChoose={() => {}} group="Environment" name="The node as it is">
                <span className="font-semibold">The node as it is</span>
                <span className="text-ink-2">
                  With everything that is installed there, and your own home.
                </span>
              </PickCard>
            )}
            {templates.map((each) => (
              <PickCard
                key={each.name}
                group="Environment"
                name={each.title}
                chosen={each.name === template}
                because={each.available ? undefined : (each.because ?? 'Not available here.')}
                onChoose={() => setTemplate(each.name)}
              >
                <span className="font-semibold">{each.title}</span>
                <span className="text-ink-2">{each.available ? each.description : each.because}</span>
              </PickCard>
            ))}
          </div>
        </Part>
        <Part title="For how long">
          <Choice
            label="For how long"
            value={minutes}
            onChange={setMinutes}
            options={durations.map((each) => ({ value: each, text: durationWords(each * 60) }))}
          />
          <Slider
            label="Minutes"
            min={30}
            max={4320}
            step={30}
            value={minutes}
            onChange={setMinutes}
            words={durationWords(minutes * 60)}
          />
          <p className="text-ink-3 text-xs">It can be extended while it runs, and ended whenever you like.</p>
        </Part>
        <Part title="Name and access">
          <TextField
            label="Name"
            value={name}
            maxLength={64}
            placeholder={suggestedName(gpuType)}
            onChange={(event) => setName(event.target.value)}
            error={fields.name}
          />
          <CheckField
            label="Reach it by SSH, too"
            hint={
              keys.data?.length === 0 ? (
                <>
                  You have no SSH key yet:{' '}
                  <Link to="/settings/keys" className="text-accent-ink underline">
                    add one
                  </Link>
                  , also later.
                </>
              ) : (
                'With the keys of your profile.'
              )
            }
            checked={ssh}
            onChange={setSsh}
          />
        </Part>
      </div>
      <Card className="flex flex-col gap-4 p-5 lg:sticky lg:top-20">
        <h2 className="font-semibold text-base">
          {count > 0 ? `${count} × ${gpuType.toUpperCase()}` : plural(cpus, 'CPU')} for{' '}
          {durationWords(minutes * 60)}
        </h2>
        <StartWords start={start} failed={nodes.isError || jobs.isError} />
        {charge && (
          <p className="num text-ink-2">
            <span className="font-semibold text-ink text-lg">{money(charge.perHour, charge.currency)}</span>{' '}
            an hour, {money(charge.total, charge.currency)} if it runs to its end
          </p>
        )}
        {launch.error && Object.keys(fields).length === 0 && (
          <ErrorNotice trouble={troubleOf(launch.error)} />
        )}
        {Object.entries(fields).map(([field, because]) => (
          <p key={field} role="alert" className="text-failed">
            {field}: {because}
          </p>
        ))}
        <Button
          look="primary"
          size="large"
          icon={<Zap aria-hidden="true" className="size-4" />}
          busy={launch.isPending}
          onClick={() => launch.mutate()}
        >
          {start && start.kind !== 'now' ? 'Queue it' : 'Launch'}
        </Button>
        <CommandLine text={launchLine(wish)} />
      </Card>
    </div>
  );
}

function StartWords({ start, failed }: { start: Start | undefined; failed: boolean }) {
  if (failed && !start)
    return (
      <p className="text-ink-2">When it would start is not known just now. You can launch it all the same.</p>
    );
  if (!start) return <Skeleton className="h-6 w-full" />;
  if (start.kind === 'now') return <p className="font-medium text-running">Starts now</p>;
  if (start.kind === 'unknown') {
    return <p className="font-medium text-pending">Queued until there is room</p>;
  }
  return (
    <div className="num">
      <p className="font-medium text-pending">
        Queued: room by <ClockTime at={start.at} /> (<RelativeTime at={start.at} />)
      </p>
      <p className="text-ink-2">
        {start.ahead > 0
          ? `${plural(start.ahead, 'job waits', 'jobs wait')} for the same hardware already. `
          : ''}
        Sooner, if jobs end before their time.
      </p>
    </div>
  );
}

function HardwareCard({ pool, chosen, onChoose }: { pool: GpuPool; chosen: boolean; onChoose: () => void }) {
  const now = useNow();
  const prices = useQuery(pricesQuery());
  const price = pricePerHour(prices.data ?? [], `gpu:${pool.gpu_type}`, now);
  return (
    <PickCard chosen={chosen} onChoose={onChoose} group="Hardware" name={pool.gpu_type}>
      <span className="flex items-baseline justify-between">
        <span className="font-semibold">{pool.gpu_type.toUpperCase()}</span>
        {price && <span className="num text-ink-2">{money(price.per_hour, price.currency)} an hour</span>}
      </span>
      <span className="num text-ink-2">
        {pool.memory_mb > 0 && `${bytes(pool.memory_mb * 2 ** 20)} each, `}
        {pool.available > 0 ? `${pool.available} of ${pool.total} free now` : 'none free now'}
      </span>
    </PickCard>
  );
}

function PickCard({
  chosen,
  onChoose,
  group,
  name,
  because,
  children,
}: {
  chosen: boolean;
  onChoose: () => void;
  group: string;
  name: string;
  because?: string | undefined;
  children: ReactNode;
}) {
  return (
    <label
      className={classes(
        'flex flex-col gap-1 rounded-lg border p-4 has-focus-visible:outline-2 has-focus-visible:outline-accent-ink',
        because ? 'cursor-not-allowed border-dashed opacity-60' : 'cursor-pointer',
        chosen
          ? 'border-accent bg-accent/5 ring-1 ring-accent'
          : 'border-line bg-surface hover:border-line-strong',
      )}
    >
      <input
        type="radio"
        className="sr-only"
        name={group}
        aria-label={name}
        checked={chosen}
        disabled={because !== undefined}
        onChange={onChoose}
      />
      {children}
    </label>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="flex flex-col gap-3">
      <h2 className="font-semibold">{title}</h2>
      {children}
    </section>
  );
}

function suggestedName(gpuType: string): string {
  return gpuType === 'none' ? 'cpu-session' : `${gpuType.toLowerCase()}-session`;
}
