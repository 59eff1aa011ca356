import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { ApiError, call, newRequestId, troubleOf } from '~/api/client';
import { partitionsQuery } from '~/api/cluster';
import { Button } from '~/ui/Button';
import { Card, CardTitle } from '~/ui/Card';
import { CopyButton } from '~/ui/Copy';
import { ErrorNotice } from '~/ui/Feedback';
import { SelectField, TextArea, TextField } from '~/ui/Field';
import { Page } from '~/ui/Page';
import { batchScript, description, emptyForm, type JobForm } from './description';
import { mebibytesOf, minutesOf } from './timeLimit';

/** A job as a form, and beside it the same job as a script for sbatch. */
export function SubmitPage() {
  const navigate = useNavigate();
  const client = useQueryClient();
  const partitions = useQuery(partitionsQuery());
  const [form, setForm] = useState<JobForm>(emptyForm);
  const requestId = useRef(newRequestId());
  const set = (change: Partial<JobForm>) => setForm({ ...form, ...change });
  const script = batchScript(form);
  const submit = useMutation({
    mutationFn: () =>
      call<{ job_id: number }>('/api/v1/jobs', {
        method: 'POST',
        body: description(form),
        idempotencyKey: requestId.current,
      }),
    onSuccess: ({ job_id }) => {
      void client.invalidateQueries({ queryKey: ['jobs'] });
      navigate(`/jobs/${job_id}`);
    },
    onError: (error) => {
      if (error instanceof ApiError && !error.unreachable) requestId.current = newRequestId();
    },
  });

  return (
    <Page title="Submit a job">
      <form
        className="grid items-start grid-cols-1 gap-6 lg:grid-cols-2"
        onSubmit={(event) => {
          event.preventDefault();
          submit.mutate();
        }}
      >
        <div className="flex flex-col gap-4">
          <TextField
            label="Name"
            value={form.name}
            maxLength={200}
            onChange={(event) => set({ name: event.target.value })}
          />
          <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
            <SelectField
              label="Partition"
              value={form.partition}
              onChange={(event) => set({ partition: event.target.value })}
            >
              <option value="">Default</option>
              {partitions.data?.map((each) => (
                <option key={each.name} value={each.name}>
                  {each.name}
                </option>
              ))}
            </SelectField>
            <TextField
              label="Time limit"
              value={form.time}
              placeholder="of the partition"
              hint="Minutes, 2:00:00 or 1-12:00"
              error={form.time && minutesOf(form.time) === undefined ? 'That is not a time.' : undefined}
              onChange={(event) => set({ time: event.target.value })}
            />
            <NumberField label="Nodes" value={form.nodes} onChange={(nodes) => set({ nodes })} />
            <NumberField label="Tasks" value={form.tasks} onChange={(tasks) => set({ tasks })} />
            <NumberField label="CPUs for each task" value={form.cpus} onChange={(cpus) => set({ cpus })} />
            <NumberField
              label="GPUs on each node"
              value={form.gpus}
              onChange={(gpus) => set({ gpus })}
              least={0}
            />
            <TextField
              label="Memory on each node"
              value={form.memory}
              placeholder="of the partition"
              hint="As in 16G"
              error={
                form.memory && mebibytesOf(form.memory) === undefined ? 'That is not a size.' : undefined
              }
              onChange={(event) => set({ memory: event.target.value })}
            />
            <TextField
              label="Array"
              value={form.array}
              placeholder="none"
              hint="As in 1-100%4"
              onChange={(event) => set({ array: event.target.value })}
            />
          </div>
          <TextArea
            label="What to run"
            required
            rows={8}
            spellCheck={false}
            value={form.commands}
            onChange={(event) => set({ commands: event.target.value })}
            className="font-mono text-xs"
          />
          {submit.error && <ErrorNotice trouble={troubleOf(submit.error)} />}
          <Button look="primary" size="large" type="submit" busy={submit.isPending} className="self-start">
            Submit
          </Button>
        </div>
        <Card className="lg:sticky lg:top-20">
          <CardTitle action={<CopyButton text={script} name="Copy the script" />}>
            The same for sbatch
          </CardTitle>
          <pre className="overflow-x-auto p-4 font-mono text-xs">{script}</pre>
        </Card>
      </form>
    </Page>
  );
}

function NumberField({
  label,
  value,
  onChange,
  least = 1,
}: {
  label: string;
  value: number;
  onChange: (value: number) => void;
  least?: number;
}) {
  return (
    <TextField
      label={label}
      type="number"
      min={least}
      value={value}
      onChange={(event) => onChange(Math.max(least, Math.floor(event.target.valueAsNumber) || least))}
    />
  );
}
