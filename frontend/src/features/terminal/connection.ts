/**
 * A shell in the browser: bytes both ways, and what it takes to come back to the same shell.
 * No DOM and no React in here, so that losing and finding the connection is specified with a fake socket.
 */
export type Status =
  | { kind: 'connecting' }
  | { kind: 'open' }
  | { kind: 'lost'; retryAt: number }
  | { kind: 'ended'; reason: string };

export interface Socket {
  binaryType: string;
  send(data: string | Uint8Array<ArrayBuffer>): void;
  close(code?: number, reason?: string): void;
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number; reason: string }) => void) | null;
}

export interface Surroundings {
  /** A new one-time ticket, then the address that takes it. */
  address: () => Promise<string>;
  open: (address: string, protocol: string) => Socket;
  now: () => number;
  later: (delay: number, action: () => void) => () => void;
}

export interface Listener {
  onBytes: (bytes: Uint8Array) => void;
  /** The shell's scrollback comes anew: what is shown must go. */
  onReplay: () => void;
  /** So many bytes were left out: this viewer was too slow for them. */
  onMissed: (bytes: number) => void;
  onStatus: (status: Status) => void;
}

export const protocol = 'spur.terminal.v1';

/** Ends that trying again would not change: the shell is over, or one may not. */
const final = new Set([1000, 1008, 4000, 4001, 4003, 4004, 4010]);
const longestPause = 15_000;

export class TerminalConnection {
  private socket: Socket | undefined;
  private attempts = 0;
  private closed = false;
  private size = { cols: 80, rows: 24 };
  private cancelRetry: (() => void) | undefined;
  private end: string | undefined;

  constructor(
    private readonly around: Surroundings,
    private readonly listener: Listener,
  ) {}

  async connect(): Promise<void> {
    if (this.closed) return;
    this.cancelRetry?.();
    this.end = undefined;
    this.listener.onStatus({ kind: 'connecting' });
    let socket: Socket;
    try {
      socket = this.around.open(await this.around.address(), protocol);
    } catch {
      this.retry();
      return;
    }
    if (this.closed) {
      socket.close();
      return;
    }
    this.socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => {
      this.listener.onReplay();
      this.attempts = 0;
      this.listener.onStatus({ kind: 'open' });
      this.tellSize();
    };
    socket.onmessage = ({ data }) => {
      if (data instanceof ArrayBuffer) this.listener.onBytes(new Uint8Array(data));
      else if (typeof data === 'string') this.hear(data);
    };
    socket.onclose = ({ code, reason }) => {
      this.socket = undefined;
      if (this.closed) return;
      if (final.has(code)) {
        this.listener.onStatus({ kind: 'ended', reason: this.end ?? (reason || 'The shell has ended.') });
      } else {
        this.retry();
      }
    };
  }

  type(bytes: Uint8Array<ArrayBuffer>): void {
    this.socket?.send(bytes);
  }

  resize(cols: number, rows: number): void {
    if (cols === this.size.cols && rows === this.size.rows) return;
    this.size = { cols, rows };
    this.tellSize();
  }

  close(): void {
    this.closed = true;
    this.cancelRetry?.();
    this.socket?.close(1000, 'closed by the viewer');
  }

  /** What the other side says of the shell; what this version does not know is not for it. */
  private hear(text: string): void {
    let said: { type?: string; bytes?: number; code?: number; signal?: number; because?: string };
    try {
      said = JSON.parse(text) as typeof said;
    } catch {
      return;
    }
    if (said.type === 'missed' && said.bytes !== undefined) this.listener.onMissed(said.bytes);
    if (said.type === 'exit') this.end = endWords(said);
  }

  private tellSize(): void {
    this.socket?.send(JSON.stringify({ type: 'resize', ...this.size }));
  }

  private retry(): void {
    const pause = Math.min(longestPause, 500 * 2 ** this.attempts++);
    this.listener.onStatus({ kind: 'lost', retryAt: this.around.now() + pause });
    this.cancelRetry = this.around.later(pause, () => void this.connect());
  }
}

function endWords({ code, signal, because }: { code?: number; signal?: number; because?: string }): string {
  if (because) return `The shell was lost: ${because}.`;
  if (signal) return `The shell was ended by signal ${signal}.`;
  return code ? `The shell has ended with code ${code}.` : 'The shell has ended.';
}
