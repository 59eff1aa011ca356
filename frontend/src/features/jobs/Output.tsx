import { ArrowDownToLine, Download, WrapText } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Button, IconButton } from '~/ui/Button';
import { Card } from '~/ui/Card';
import { EmptyState, ErrorNotice } from '~/ui/Feedback';
import { useOutput } from './useOutput';

/** What the job printed, as it prints it. Only the last mebibyte is kept in the page; all of it can be downloaded. */
export function Output({ id, live, same }: { id: string; live: boolean; same: boolean }) {
  const [stream, setStream] = useState<'output' | 'error'>('output');
  const [wrap, setWrap] = useState(true);
  const [follow, setFollow] = useState(true);
  const [search, setSearch] = useState('');
  const { text, cut, trouble, again } = useOutput(id, stream, live);
  const end = useRef<HTMLPreElement>(null);
  const address = `/api/v1/jobs/${encodeURIComponent(id)}/output?of=${stream}`;
  const lines = search ? text.split('\n').filter((line) => line.includes(search)) : undefined;
  const shown = lines ? lines.join('\n') : text;

  // biome-ignore lint/correctness/useExhaustiveDependencies: new text is what moves the view
  useEffect(() => {
    if (follow && end.current) end.current.scrollTop = end.current.scrollHeight;
  }, [shown, follow]);

  return (
    <Card className="overflow-hidden">
      <div className="flex flex-wrap items-center gap-2 border-line border-b p-2">
        {!same && (
          <select
            aria-label="Which output"
            value={stream}
            onChange={(event) => setStream(event.target.value as 'output' | 'error')}
            className="h-8 rounded-lg border border-line bg-surface px-2 text-xs"
          >
            <option value="output">Standard output</option>
            <option value="error">Standard error</option>
          </select>
        )}
        <input
          aria-label="Only lines with this text"
          placeholder="Search"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          className="h-8 w-40 rounded-lg border border-line bg-surface px-2.5 text-xs placeholder:text-ink-3"
        />
        {cut && !lines && <span className="text-ink-3 text-xs">The last part; download it for all.</span>}
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
            <a href={address} download={`job-${id}.${stream === 'error' ? 'err' : 'out'}`}>
              <Download aria-hidden="true" className="size-3.5" />
              Download
            </a>
          </Button>
        </span>
      </div>
      {trouble && text === '' ? (
        trouble.status === 404 && live ? (
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
