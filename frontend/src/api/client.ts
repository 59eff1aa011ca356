import type { Trouble } from '~/ui/Feedback';

/** A problem document, or what stands for one when nothing answered. */
export class ApiError extends Error implements Trouble {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly title: string,
    readonly because: string,
    readonly remedy?: string,
    readonly requestId?: string,
    /** What is wrong with single fields of a form. */
    readonly fields: Readonly<Record<string, string>> = {},
  ) {
    super(because ? `${title}: ${because}` : title);
  }

  /** Nothing answered: what is on the screen is old, not wrong. */
  get unreachable(): boolean {
    return this.status === 0 || this.status === 502 || this.status === 503 || this.status === 504;
  }
}

export function troubleOf(error: unknown): Trouble {
  if (error instanceof ApiError) return error;
  return { title: 'Something went wrong', because: error instanceof Error ? error.message : String(error) };
}

type Listener = () => void;
const signedOut = new Set<Listener>();

/** Told when the server says that nobody is signed in any more. */
export function onSignedOut(listener: Listener): () => void {
  signedOut.add(listener);
  return () => signedOut.delete(listener);
}

interface Call {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  body?: unknown;
  query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
  /** Makes a repetition of this request the same request. */
  idempotencyKey?: string;
  signal?: AbortSignal | undefined;
  /** A 401 is an answer here (signing in), not the end of a sign-in. */
  anonymous?: boolean;
}

export async function call<T>(path: string, options: Call = {}): Promise<T> {
  const response = await send(path, options);
  if (response.status === 401 && !options.anonymous && (await refresh())) {
    return read<T>(await send(path, options), options);
  }
  return read<T>(response, options);
}

/** An answer that goes on: handed over piece by piece until it ends. */
export async function follow(
  path: string,
  options: Call,
  onBytes: (bytes: Uint8Array<ArrayBuffer>) => void,
): Promise<void> {
  const asked = { ...options, signal: options.signal ?? new AbortController().signal };
  let response = await send(path, asked);
  if (response.status === 401 && (await refresh())) response = await send(path, asked);
  if (!response.ok) await read(response, options);
  const reader = response.body?.getReader();
  while (reader) {
    const { done, value } = await reader.read();
    if (done) return;
    onBytes(value);
  }
}

async function send(
  path: string,
  { method = 'GET', body, query, idempotencyKey, signal }: Call,
): Promise<Response> {
  const headers: Record<string, string> = { Accept: 'application/json' };
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (idempotencyKey) headers['Idempotency-Key'] = idempotencyKey;
  if (method !== 'GET') {
    const token = cookie('spur_csrf');
    if (token) headers['X-CSRF-Token'] = token;
  }
  try {
    return await fetch(path + queryText(query), {
      method,
      headers,
      credentials: 'same-origin',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: signal ?? AbortSignal.timeout(30_000),
    });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw new ApiError(0, 'unreachable', 'No answer', 'The server could not be reached.');
  }
}

async function read<T>(response: Response, { anonymous }: Call): Promise<T> {
  if (response.ok) {
    if (response.status === 204) return undefined as T;
    const type = response.headers.get('Content-Type') ?? '';
    return (type.includes('json') ? await response.json() : await response.text()) as T;
  }
  const error = await problem(response);
  if (response.status === 401 && !anonymous) {
    for (const listener of signedOut) listener();
  }
  throw error;
}

async function problem(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '');
  let document: Record<string, unknown> = {};
  try {
    document = JSON.parse(text) as Record<string, unknown>;
  } catch {
    // Whatever stands between us and the API answers in its own words.
  }
  const word = (...names: string[]) => {
    for (const name of names) {
      const value = document[name];
      if (typeof value === 'string' && value !== '') return value;
    }
    return undefined;
  };
  const remedy = word('remedy');
  const requestId = word('request_id', 'requestId') ?? response.headers.get('X-Request-Id') ?? undefined;
  return new ApiError(
    response.status,
    word('code', 'type') ?? String(response.status),
    word('title') ?? (response.status >= 500 ? 'The server had a problem' : 'That did not work'),
    word('detail') ?? (text.startsWith('{') || text.startsWith('<') ? '' : text.slice(0, 300)),
    remedy,
    requestId,
    fieldsOf(document.fields),
  );
}

function fieldsOf(fields: unknown): Record<string, string> {
  if (!Array.isArray(fields)) return {};
  return Object.fromEntries(
    fields.map((each: { field?: string; because?: string }) => [
      each.field ?? '',
      sentence(each.because ?? ''),
    ]),
  );
}

/** The server says "must be …", since the name of the field comes before it. */
function sentence(text: string): string {
  return text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;
}

let refreshing: Promise<boolean> | undefined;

/** One renewal at a time, whoever asks: a second use of the same refresh token would look like a theft. */
function refresh(): Promise<boolean> {
  refreshing ??= fetch('/api/auth/refresh', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': cookie('spur_csrf') ?? '' },
    body: '{}',
    credentials: 'same-origin',
  })
    .then((response) => response.ok)
    .catch(() => false)
    .finally(() => {
      refreshing = undefined;
    });
  return refreshing;
}

function cookie(name: string): string | undefined {
  return document.cookie
    .split('; ')
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);
}

function queryText(query: Call['query']): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === undefined || value === '') continue;
    if (Array.isArray(value)) {
      if (value.length > 0) parameters.set(name, value.join(','));
    } else {
      parameters.set(name, String(value));
    }
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

/** One id for one intention, however often it is sent. */
export function newRequestId(): string {
  return crypto.randomUUID();
}
