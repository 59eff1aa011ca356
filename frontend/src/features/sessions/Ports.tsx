import { useMutation } from '@tanstack/react-query';
import { ExternalLink } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { call, troubleOf } from '~/api/client';
import type { Session } from '~/api/sessions';
import { Button } from '~/ui/Button';
import { Card, CardTitle } from '~/ui/Card';
import { CommandLine } from '~/ui/Copy';
import { TextField } from '~/ui/Field';
import { useToasts } from '~/ui/Toasts';

const usual = [
  [8888, 'Jupyter'],
  [6006, 'TensorBoard'],
  [7860, 'Gradio'],
] as const;

/** What listens inside the session, in a tab of the browser: only for those who may see the session. */
export function Ports({ session }: { session: Session }) {
  const toasts = useToasts();
  const [port, setPort] = useState('');
  const open = useMutation({
    mutationFn: (number: number) =>
      call<{ url: string }>(`/api/sessions/${session.id}/ports/${number}`, { method: 'POST', body: {} }),
    onSuccess: ({ url }) => {
      // Opened by the click that asked for it, or the browser would call it a pop-up.
      const tab = window.open(url, '_blank', 'noopener');
      if (tab === null) toasts.done('It was opened in another tab.');
    },
    onError: (error) => toasts.failed(troubleOf(error).because),
  });

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    open.mutate(Number(port));
  }

  return (
    <div className="grid items-start grid-cols-1 gap-4 lg:grid-cols-2">
      <Card>
        <CardTitle>Open a web page of this session</CardTitle>
        <form onSubmit={submit} className="flex flex-col gap-4 p-4">
          <div className="flex items-end gap-2">
            <TextField
              label="Port"
              inputMode="numeric"
              pattern="[0-9]{1,5}"
              required
              value={port}
              placeholder="8888"
              onChange={(event) => setPort(event.target.value)}
              className="w-28"
            />
            <Button
              type="submit"
              look="primary"
              busy={open.isPending}
              icon={<ExternalLink aria-hidden="true" className="size-4" />}
            >
              Open
            </Button>
          </div>
          <div className="flex flex-wrap gap-2">
            {usual.map(([number, name]) => (
              <Button key={number} size="small" onClick={() => setPort(String(number))}>
                {name} {number}
              </Button>
            ))}
          </div>
          <p className="text-ink-3 text-xs">
            It goes through this site, so nobody reaches it who may not see the session.
          </p>
        </form>
      </Card>
      {session.ssh_host && session.ssh_port && (
        <Card>
          <CardTitle>Any other port</CardTitle>
          <div className="flex flex-col gap-3 p-4">
            <p className="text-ink-2">SSH brings a port of the session to your own machine:</p>
            <CommandLine
              text={`ssh -N -L 8888:localhost:8888 -p ${session.ssh_port} ${session.id}@${session.ssh_host}`}
            />
          </div>
        </Card>
      )}
    </div>
  );
}
