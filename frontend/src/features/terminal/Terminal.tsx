import '@xterm/xterm/css/xterm.css';
import { FitAddon } from '@xterm/addon-fit';
import { SearchAddon } from '@xterm/addon-search';
import { WebLinksAddon } from '@xterm/addon-web-links';
import { Terminal as Xterm } from '@xterm/xterm';
import { Maximize2, Minimize2, Minus, Palette, Plus, Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { call } from '~/api/client';
import { Button, IconButton } from '~/ui/Button';
import { bytes } from '~/ui/numbers';
import { Menu } from '~/ui/Overlay';
import { useNow } from '~/ui/Time';
import { type Socket, type Status, TerminalConnection } from './connection';
import { terminalThemes } from './themes';

const themeKey = 'spur.terminal.theme';
const sizeKey = 'spur.terminal.size';

/** A shell of a session. It goes on when this page does not, and shows what it showed when one comes back. */
export function Terminal({ session, shell }: { session: string; shell: string }) {
  const frame = useRef<HTMLDivElement>(null);
  const place = useRef<HTMLDivElement>(null);
  const xterm = useRef<Xterm>(null);
  const search = useRef<SearchAddon>(null);
  const fit = useRef<FitAddon>(null);
  const connection = useRef<TerminalConnection>(null);
  const [status, setStatus] = useState<Status>({ kind: 'connecting' });
  const [whole, setWhole] = useState(false);
  const [searching, setSearching] = useState(false);
  const [theme, setTheme] = useState(() => localStorage.getItem(themeKey) ?? 'Night');
  const [size, setSize] = useState(() => Number(localStorage.getItem(sizeKey)) || 13);

  // biome-ignore lint/correctness/useExhaustiveDependencies: looks are changed below, without a new shell
  useEffect(() => {
    if (!place.current) return;
    const screen = new Xterm({
      fontFamily: '"JetBrains Mono Variable", ui-monospace, monospace',
      fontSize: size,
      scrollback: 10_000,
      cursorBlink: true,
      allowProposedApi: true,
      theme: terminalThemes[theme] ?? {},
    });
    const fitting = new FitAddon();
    const searcher = new SearchAddon();
    screen.loadAddon(fitting);
    screen.loadAddon(searcher);
    screen.loadAddon(new WebLinksAddon());
    screen.open(place.current);
    const encoder = new TextEncoder();
    const link = new TerminalConnection(
      {
        address: () => ticketAddress(session, shell),
        open: (address, protocol) => new WebSocket(address, protocol) as unknown as Socket,
        now: () => Date.now(),
        later: (delay, action) => {
          const timer = setTimeout(action, delay);
          return () => clearTimeout(timer);
        },
      },
      {
        onBytes: (printed) => screen.write(printed),
        onReplay: () => screen.reset(),
        onMissed: (count) => screen.write(`\r\n\x1b[2m… ${bytes(count)} came too fast …\x1b[0m\r\n`),
        onStatus: setStatus,
      },
    );
    screen.onData((text) => link.type(encoder.encode(text)));
    screen.onBinary((text) => link.type(Uint8Array.from(text, (c) => c.charCodeAt(0))));
    screen.onResize(({ cols, rows }) => link.resize(cols, rows));
    screen.attachCustomKeyEventHandler((event) => {
      const held = event.ctrlKey && event.shiftKey && event.type === 'keydown';
      if (held && event.code === 'KeyC' && screen.hasSelection()) {
        void navigator.clipboard.writeText(screen.getSelection());
        event.preventDefault();
        return false;
      }
      if (held && event.code === 'KeyF') {
        setSearching(true);
        event.preventDefault();
        return false;
      }
      return true;
    });
    const observer = new ResizeObserver(() => fitting.fit());
    observer.observe(place.current);
    fitting.fit();
    xterm.current = screen;
    search.current = searcher;
    fit.current = fitting;
    connection.current = link;
    void link.connect();
    screen.focus();
    return () => {
      observer.disconnect();
      link.close();
      screen.dispose();
    };
  }, [session, shell]);

  useEffect(() => {
    const screen = xterm.current;
    if (!screen) return;
    screen.options.theme = terminalThemes[theme] ?? {};
    screen.options.fontSize = size;
    fit.current?.fit();
    localStorage.setItem(themeKey, theme);
    localStorage.setItem(sizeKey, String(size));
  }, [theme, size]);

  useEffect(() => {
    function changed() {
      setWhole(document.fullscreenElement === frame.current);
    }
    document.addEventListener('fullscreenchange', changed);
    return () => document.removeEventListener('fullscreenchange', changed);
  }, []);

  return (
    <div
      ref={frame}
      className="flex h-[calc(100dvh-19rem)] min-h-80 flex-col overflow-hidden rounded-lg border border-line"
      style={{ background: terminalThemes[theme]?.background }}
    >
      <div className="flex h-10 shrink-0 items-center gap-1 border-line border-b bg-surface px-2">
        <StatusWords status={status} onNow={() => connection.current?.connect()} />
        <span className="ml-auto" />
        {searching && (
          <input
            aria-label="Search in the terminal"
            placeholder="Search"
            // biome-ignore lint/a11y/noAutofocus: it was asked for by a key
            autoFocus
            onChange={(event) => search.current?.findNext(event.target.value, { incremental: true })}
            onKeyDown={(event) => {
              if (event.key === 'Enter') {
                const text = event.currentTarget.value;
                if (event.shiftKey) search.current?.findPrevious(text);
                else search.current?.findNext(text);
              } else if (event.key === 'Escape') {
                setSearching(false);
                xterm.current?.focus();
              }
            }}
            className="h-7 w-40 rounded border border-line bg-surface px-2 text-xs"
          />
        )}
        <IconButton name="Search (Ctrl Shift F)" onClick={() => setSearching(!searching)}>
          <Search aria-hidden="true" className="size-4" />
        </IconButton>
        <IconButton name="Smaller" onClick={() => setSize(Math.max(8, size - 1))}>
          <Minus aria-hidden="true" className="size-4" />
        </IconButton>
        <IconButton name="Larger" onClick={() => setSize(Math.min(28, size + 1))}>
          <Plus aria-hidden="true" className="size-4" />
        </IconButton>
        <Menu
          trigger={
            <IconButton name="Colours">
              <Palette aria-hidden="true" className="size-4" />
            </IconButton>
          }
          entries={Object.keys(terminalThemes).map((name) => ({
            text: name,
            onSelect: () => setTheme(name),
          }))}
        />
        <IconButton
          name={whole ? 'Leave full screen' : 'Full screen'}
          onClick={() => (whole ? document.exitFullscreen() : frame.current?.requestFullscreen())}
        >
          {whole ? (
            <Minimize2 aria-hidden="true" className="size-4" />
          ) : (
            <Maximize2 aria-hidden="true" className="size-4" />
          )}
        </IconButton>
      </div>
      <div ref={place} data-testid="terminal" className="min-h-0 flex-1 p-2" />
    </div>
  );
}

async function ticketAddress(session: string, shell: string): Promise<string> {
  const { ticket } = await call<{ ticket: string }>(`/api/sessions/${session}/terminal/ticket`, {
    method: 'POST',
    body: { shell },
  });
  const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
  return `${scheme}://${location.host}/api/sessions/${session}/terminal?ticket=${encodeURIComponent(ticket)}`;
}

function StatusWords({ status, onNow }: { status: Status; onNow: () => void }) {
  const now = useNow();
  if (status.kind === 'open') return <span className="px-2 text-ink-3 text-xs">Connected</span>;
  if (status.kind === 'connecting') {
    return (
      <span role="status" className="px-2 text-ink-3 text-xs">
        Connecting …
      </span>
    );
  }
  if (status.kind === 'ended') {
    return (
      <span role="status" className="flex items-center gap-2 px-2 text-xs">
        {status.reason}
        <Button size="small" onClick={onNow}>
          Open a new shell
        </Button>
      </span>
    );
  }
  return (
    <span role="status" className="flex items-center gap-2 px-2 text-pending text-xs">
      The connection was lost; your shell goes on. Trying again in{' '}
      {Math.max(1, Math.ceil((status.retryAt - now) / 1000))} s.
      <Button size="small" onClick={onNow}>
        Now
      </Button>
    </span>
  );
}
