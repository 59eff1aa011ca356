import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';

/** What is told by the streams, and which queries ask anew because of it. */
const streams = [
  { address: '/api/events', event: 'session', queries: ['sessions', 'gpus', 'usage'] },
  // Only one's own: the changes of a hundred thousand jobs are more than a page can show.
  { address: '/api/v1/events?of=jobs&own=1&pace=1000', event: 'change', queries: ['jobs'] },
] as const;

const together = 400;

/**
 * Changes are told as they happen; what is shown asks anew then, and by itself now and again for what is not told.
 * Lost streams come back by themselves (the browser's doing), behind the last event that was seen.
 */
export function useLiveChanges(): void {
  const client = useQueryClient();
  useEffect(() => {
    let closeAll = openAll(client);
    // A page that nobody sees holds no connection.
    function shown() {
      closeAll();
      closeAll = document.hidden ? () => {} : openAll(client);
    }
    document.addEventListener('visibilitychange', shown);
    return () => {
      document.removeEventListener('visibilitychange', shown);
      closeAll();
    };
  }, [client]);
}

function openAll(client: QueryClient): () => void {
  if (typeof EventSource === 'undefined') return () => {};
  const closes = streams.map(({ address, event, queries }) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const source = new EventSource(address);
    source.addEventListener(event, () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        for (const key of queries) void client.invalidateQueries({ queryKey: [key] });
      }, together);
    });
    return () => {
      clearTimeout(timer);
      source.close();
    };
  });
  return () => {
    for (const close of closes) close();
  };
}
