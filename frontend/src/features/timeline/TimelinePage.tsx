import { useQuery } from '@tanstack/react-query';
import { ZoomIn, ZoomOut } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useNavigate } from 'react-router';
import { liveJobsQuery, nodesQuery, reservationsQuery } from '~/api/cluster';
import { Loaded } from '~/api/Loaded';
import { Button, IconButton } from '~/ui/Button';
import { EmptyState, Skeleton } from '~/ui/Feedback';
import { Page } from '~/ui/Page';
import { ClockTime } from '~/ui/Time';
import { barsOf, rowsOf } from './bars';
import { Gantt } from './Gantt';
import { zoom } from './scale';

const hour = 3_600_000;

function around(now: number) {
  return { from: now - 2 * hour, until: now + 10 * hour };
}

/** What runs on which node until when, and what comes after it by the present plan. */
export function TimelinePage() {
  const navigate = useNavigate();
  const nodes = useQuery(nodesQuery());
  const jobs = useQuery(liveJobsQuery());
  const reservations = useQuery(reservationsQuery());
  const [shown, setShown] = useState(() => around(Date.now()));
  const rows = useMemo(() => rowsOf(nodes.data ?? []), [nodes.data]);
  const bars = useMemo(
    () => barsOf(jobs.data ?? [], reservations.data ?? []),
    [jobs.data, reservations.data],
  );
  const middle = (shown.from + shown.until) / 2;

  return (
    <Page
      wide
      title="Timeline"
      hint="What runs, what is planned and what is reserved. Drag to move, Ctrl and the wheel to zoom."
      action={
        <>
          <Button size="small" onClick={() => setShown(around(Date.now()))}>
            Now
          </Button>
          <IconButton name="Closer" onClick={() => setShown(zoom(shown, 1 / 1.6, middle))}>
            <ZoomIn aria-hidden="true" className="size-4" />
          </IconButton>
          <IconButton name="Farther" onClick={() => setShown(zoom(shown, 1.6, middle))}>
            <ZoomOut aria-hidden="true" className="size-4" />
          </IconButton>
        </>
      }
    >
      <Loaded query={nodes} skeleton={<Skeleton className="h-96 w-full" />}>
        {(known) =>
          known.length === 0 ? (
            <EmptyState
              title="This cluster has no nodes yet"
              body="They appear here as soon as their agents connect."
            />
          ) : (
            <Loaded query={jobs} skeleton={<Skeleton className="h-96 w-full" />}>
              {() => (
                <>
                  <Gantt
                    rows={rows}
                    bars={bars}
                    window={shown}
                    onWindow={setShown}
                    onOpen={(bar) =>
                      navigate(
                        bar.kind === 'reservation' ? '/reservations' : `/jobs/${encodeURIComponent(bar.id)}`,
                      )
                    }
                  />
                  <div className="sr-only">
                    <table>
                      <caption>Jobs and reservations that are shown</caption>
                      <thead>
                        <tr>
                          <th>Node</th>
                          <th>What</th>
                          <th>From</th>
                          <th>Until</th>
                        </tr>
                      </thead>
                      <tbody>
                        {bars
                          .filter((bar) => bar.from < shown.until && (bar.until ?? shown.until) > shown.from)
                          .slice(0, 200)
                          .map((bar) => (
                            <tr key={`${bar.row} ${bar.id}`}>
                              <td>{bar.row}</td>
                              <td>
                                {bar.title}, {bar.kind}, {bar.detail}
                              </td>
                              <td>
                                <ClockTime at={bar.from} />
                              </td>
                              <td>{bar.until ? <ClockTime at={bar.until} /> : 'no end'}</td>
                            </tr>
                          ))}
                      </tbody>
                    </table>
                  </div>
                </>
              )}
            </Loaded>
          )
        }
      </Loaded>
    </Page>
  );
}
