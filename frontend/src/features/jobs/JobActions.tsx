import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { newRequestId, troubleOf } from '~/api/client';
import { actOnJob, type Job, type JobVerb, pingQuery } from '~/api/cluster';
import { Button } from '~/ui/Button';
import { Confirm } from '~/ui/Overlay';
import { useToasts } from '~/ui/Toasts';

const actions: readonly {
  verb: JobVerb;
  text: string;
  sentence: string;
  danger?: boolean;
  when: (job: Job) => boolean;
}[] = [
  {
    verb: 'hold',
    text: 'Hold',
    sentence: 'It will not start until it is released.',
    when: (job) => job.states.includes('PENDING') && !job.held,
  },
  {
    verb: 'release',
    text: 'Release',
    sentence: 'It may start as soon as there is room.',
    when: (job) => job.held,
  },
  {
    verb: 'requeue',
    text: 'Requeue',
    sentence: 'It ends now and begins anew from its start when there is room. What it has not saved is lost.',
    danger: true,
    when: (job) => job.batch && job.states.includes('RUNNING'),
  },
  {
    verb: 'cancel',
    text: 'Cancel',
    sentence: 'It ends now and will not run again. Its processes are asked to stop, then killed.',
    danger: true,
    when: (job) => ['PENDING', 'RUNNING', 'SUSPENDED'].some((state) => job.states.includes(state)),
  },
];

/** What can be done to this job in its state; each says what it will do before it does. */
export function JobActions({ id, job }: { id: string; job: Job }) {
  const client = useQueryClient();
  const toasts = useToasts();
  const [asked, setAsked] = useState<(typeof actions)[number]>();
  const you = useQuery(pingQuery()).data?.you;
  const because =
    you && you.user !== job.user && you.role === 'user'
      ? `It is ${job.user}'s; on the cluster you are ${you.user}.`
      : undefined;
  const act = useMutation({
    mutationFn: (verb: JobVerb) => actOnJob(id, verb, newRequestId()),
    onError: (error) => toasts.failed(troubleOf(error).because),
    onSettled: () => {
      setAsked(undefined);
      return client.invalidateQueries({ queryKey: ['jobs'] });
    },
  });
  return (
    <>
      {actions
        .filter((each) => each.when(job))
        .map((each) => (
          <Button
            key={each.verb}
            look={each.danger ? 'danger' : 'secondary'}
            because={because}
            onClick={() => setAsked(each)}
          >
            {each.text}
          </Button>
        ))}
      {asked && (
        <Confirm
          open
          onClose={() => setAsked(undefined)}
          title={`${asked.text} job ${id}?`}
          hint={asked.sentence}
          action={asked.text}
          danger={asked.danger ?? false}
          busy={act.isPending}
          onConfirm={() => act.mutate(asked.verb)}
        />
      )}
    </>
  );
}
