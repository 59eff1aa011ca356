import { ArrowDownToLine, Download, WrapText } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { ApiError, troubleOf } from '~/api/client';
import { Button, IconButton } from '~/ui/Button';
import { Card } from '~/ui/Card';
import { EmptyState, ErrorNotice, type Trouble } from '~/ui/Feedback';

const shownAtMost = 1 << 20;

/** What the job printed, as it prints it. Only the last mebibyte is kept in the page; all of it can be downloaded. */
export function Output({ id, live }: { id: string; live: boolean }) {
  const [stream, setStream] = useState<'out' | 'err'>('out');
  const [wrap, setWrap] = useState(true);
  const [follow, setFollow] = useState(true);
  const [search, setSearch] = useState('');
  const { text, trouble, again } = useOutput(id, stream, live);
  const end = useRef<HTMLPreElement>(null);
  const address = `/api/v1/jobs/${encodeURIComponent(id)}/output?stream=${stream}`;
  const lines = search ? text.split('\n').filter((line) => line.includes(search)) : undefined;
  const shown = lines ? lines.join('\n') : text;

  // biome-ignore lint/correctness/useExhaustiveDependencies: new text is what moves the view
  useEffect(() => {
    if (follow && end.current) end.current.scrollTop = end.current.scrollHeight;
  }, [shown, follow]);

  return (
    <Card className="overflow-hidden">
      <div className="flex flex-wrap items-center gap-2 border-line border-b p-2">
        <select
          aria-label="Which output"
          value={stream}
          onChange={(event) => setStream(event.target.value as 'out' | 'err')}
          className="h-8 rounded-lg border border-line bg-surface px-2 text-xs"
        >
          <option value="out">Standard output</option>
          <option value="err">Standard error</option>
        </select>
        <input
          aria-label="Only lines with this text"
          placeholder="Search"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          className="h-8 w-40 rounded-lg border border-line bg-surface px-2.5 text-xs placeholder:text-ink-3"
        />
        {lines && <span className="num text-ink-3 text-xs">{lines.length} lines</span>}
        <span className="ml-auto flex items-center gap-1">
          <IconButton
            name={wrap ? 'Do not wrap lines' : 'Wrap lines'}
            aria-pressed={wrap}
            onClick={() => setWrap(!wrap)}
          >
            <WrapText aria-hidden="true" className="size-4" />
          </IconButton>
          {live && (
            <IconButton
              name={follow ? 'Stop following' : 'Follow'}
              aria-pressed={follow}
              onClick={() => setFollow(!follow)}
            >
              <ArrowDownToLine aria-hidden="true" className={follow ? 'size-4 text-accent-ink' : 'size-4'} />
            </IconButton>
          )}
          <Button asChild size="small">
            <a href={address} download={`job-${id}.${stream}`}>
              <Download aria-hidden="true" className="size-3.5" />
              Download
            </a>
          </Button>
        </span>
      </div>
      {trouble && text === '' ? (
        trouble.status === 404 ? (
          <EmptyState
            title="Nothing was printed yet"
            body="The output appears here as soon as there is some."
          />
        ) : (
          <div className="p-4">
            <ErrorNotice trouble={trouble} onRetry={again} />
          </div>
        )
      ) : (
        <pre
          ref={end}
          tabIndex={0}
          aria-label="Output"
          className={`h-[55vh] overflow-auto bg-sunken p-4 font-mono text-xs ${wrap ? 'whitespace-pre-wrap break-words' : ''}`}
        >
          {shown}
        </pre>
      )}
    </Card>
  );
}

/** Asks for what came since: by the number of bytes that are here. */
function useOutput(id: string, stream: string, live: boolean) {
  const [text, setText] = useState('');
  const [trouble, setTrouble] = useState<Trouble & { status: number }>();
  const [attempt, setAttempt] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: an attempt is a reason to ask anew
  useEffect(() => {
    const stop = new AbortController();
    const decoder = new TextDecoder();
    let offset = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    setText('');
    async function ask() {
      try {
        const response = await fetch(
          `/api/v1/jobs/${encodeURIComponent(id)}/output?stream=${stream}&offset=${offset === 0 ? -shownAtMost : offset}`,
          { signal: stop.signal, credentials: 'same-origin' },
        );
        if (!response.ok) {
          const problem = (await response.json().catch(() => ({}))) as { detail?: string; remedy?: string };
          throw new ApiError(
            response.status,
            '',
            'The output cannot be read',
            problem.detail ?? '',
            problem.remedy,
          );
        }
        const bytes = new Uint8Array(await response.arrayBuffer());
        const from = Number(response.headers.get('X-Output-Offset') ?? offset);
        offset = from + bytes.length;
        if (bytes.length > 0) {
          const more = decoder.decode(bytes, { stream: true });
          setText((old) => (old + more).slice(-shownAtMost));
        }
        setTrouble(undefined);
      } catch (error) {
        if (stop.signal.aborted) return;
        setTrouble({ ...troubleOf(error), status: error instanceof ApiError ? error.status : 0 });
      }
      if (live && !stop.signal.aborted) timer = setTimeout(ask, 1500);
    }
    void ask();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [id, stream, live, attempt]);

  return { text, trouble, again: () => setAttempt(attempt + 1) };
}
