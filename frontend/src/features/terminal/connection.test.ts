import { beforeEach, expect, test } from 'vitest';
import { type Socket, type Status, TerminalConnection } from './connection';

class FakeSocket implements Socket {
  binaryType = '';
  sent: (string | Uint8Array)[] = [];
  closedWith: number | undefined;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;

  send(data: string | Uint8Array) {
    this.sent.push(data);
  }

  close(code?: number) {
    this.closedWith = code;
  }
}

let sockets: FakeSocket[];
let waiting: { delay: number; action: () => void }[];
let statuses: Status['kind'][];
let bytes: number[];
let replays: number;
let missed: number[];
let last: Status | undefined;
let ticketFails: boolean;
let connection: TerminalConnection;

beforeEach(() => {
  sockets = [];
  waiting = [];
  statuses = [];
  bytes = [];
  replays = 0;
  missed = [];
  last = undefined;
  ticketFails = false;
  connection = new TerminalConnection(
    {
      address: () => (ticketFails ? Promise.reject(new Error('away')) : Promise.resolve('wss://here')),
      open: () => {
        const socket = new FakeSocket();
        sockets.push(socket);
        return socket;
      },
      now: () => 1000,
      later: (delay, action) => {
        waiting.push({ delay, action });
        return () => {};
      },
    },
    {
      onBytes: (more) => bytes.push(...more),
      onReplay: () => replays++,
      onMissed: (count) => missed.push(count),
      onStatus: (status) => {
        statuses.push(status.kind);
        last = status;
      },
    },
  );
});

async function opened(): Promise<FakeSocket> {
  await connection.connect();
  const socket = sockets.at(-1);
  if (!socket) throw new Error('no socket was opened');
  socket.onopen?.();
  return socket;
}

test('bytes arrive as they were sent, however they are cut', async () => {
  const socket = await opened();

  socket.onmessage?.({ data: new Uint8Array([0xe2, 0x82]).buffer });
  socket.onmessage?.({ data: new Uint8Array([0xac, 0xff]).buffer });

  expect(bytes).toEqual([0xe2, 0x82, 0xac, 0xff]);
});

test('the size is told when the shell opens, and only when it changes', async () => {
  const socket = await opened();

  connection.resize(120, 40);
  connection.resize(120, 40);

  expect(socket.sent).toEqual([
    '{"type":"resize","cols":80,"rows":24}',
    '{"type":"resize","cols":120,"rows":40}',
  ]);
});

test('a connection that breaks is tried again with growing pauses, and shows the shell anew', async () => {
  const first = await opened();
  first.onclose?.({ code: 1006, reason: '' });
  ticketFails = true;
  await connection.connect();
  ticketFails = false;
  await opened();

  expect(waiting.map((each) => each.delay)).toEqual([500, 1000]);
  expect(replays).toBe(2);
  expect(statuses.at(-1)).toBe('open');
});

test('a shell that has ended is not tried again', async () => {
  const socket = await opened();

  socket.onclose?.({ code: 1000, reason: 'exited with 0' });

  expect(statuses.at(-1)).toBe('ended');
  expect(waiting).toEqual([]);
});

test('whoever leaves the page is not followed by another attempt', async () => {
  const socket = await opened();

  connection.close();
  socket.onclose?.({ code: 1006, reason: '' });

  expect(socket.closedWith).toBe(1000);
  expect(waiting).toEqual([]);
});

test('how the shell ended is said in words, not in a close code', async () => {
  const socket = await opened();

  socket.onmessage?.({ data: '{"type":"exit","code":3}' });
  socket.onclose?.({ code: 1000, reason: 'exited' });

  expect(last).toEqual({ kind: 'ended', reason: 'The shell has ended with code 3.' });
});

test('what was left out for a slow viewer is told, and unknown words are nothing', async () => {
  const socket = await opened();

  socket.onmessage?.({ data: '{"type":"missed","bytes":4096}' });
  socket.onmessage?.({ data: '{"type":"tomorrow"}' });
  socket.onmessage?.({ data: 'not json' });

  expect(missed).toEqual([4096]);
  expect(statuses.at(-1)).toBe('open');
});
