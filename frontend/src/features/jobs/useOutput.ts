import { useEffect, useState } from 'react';
import { type ApiError, follow, troubleOf } from '~/api/client';
import type { Trouble } from '~/ui/Feedback';

const keptBytes = 1 << 20;
const pause = 3000;

export interface PrintedText {
  text: string;
  /** There was more before it than a page keeps. */
  cut: boolean;
  trouble: (Trouble & { status: number }) | undefined;
  again: () => void;
}

/** What was printed, and what is printed as it comes. Lost connections are taken up again by themselves. */
export function useOutput(id: string, of: 'output' | 'error', live: boolean): PrintedText {
  const [text, setText] = useState('');
  const [cut, setCut] = useState(false);
  const [trouble, setTrouble] = useState<Trouble & { status: number }>();
  const [attempt, setAttempt] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: an attempt is a reason to ask anew
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    async function read() {
      const decoder = new TextDecoder();
      let all = '';
      let painted = 0;
      const paint = () => {
        painted = performance.now();
        if (all.length > keptBytes) {
          all = all.slice(all.indexOf('\n', all.length - keptBytes) + 1);
          setCut(true);
        }
        setText(all);
      };
      try {
        const query = { of, last_bytes: keptBytes, follow: live ? 1 : undefined };
        await follow(
          `/api/v1/jobs/${encodeURIComponent(id)}/output`,
          { query, signal: stop.signal },
          (bytes) => {
            all += decoder.decode(bytes, { stream: true });
            setCut((was) => was || (painted === 0 && bytes.length >= keptBytes));
            // A job that prints without end is painted ten times a second, not ten thousand.
            clearTimeout(timer);
            if (performance.now() - painted > 100) paint();
            else timer = setTimeout(paint, 100);
          },
        );
        clearTimeout(timer);
        paint();
        setTrouble(undefined);
      } catch (error) {
        if (stop.signal.aborted) return;
        setTrouble({ ...troubleOf(error), status: (error as Partial<ApiError>).status ?? 0 });
      }
      if (live && !stop.signal.aborted) timer = setTimeout(read, pause);
    }
    setText('');
    setCut(false);
    setTrouble(undefined);
    void read();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [id, of, live, attempt]);

  return { text, cut, trouble, again: () => setAttempt(attempt + 1) };
}
