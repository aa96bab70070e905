import { connect, type Socket } from 'node:net';
import { WebSocket } from 'ws';

/** Connections that always have some requests under way, and how long the answers took. */

export interface Load {
  readonly port: number;
  readonly transport: 'http' | 'ws';
  readonly connections: number;
  /** Requests that one connection has under way; HTTP has one. */
  readonly inFlight: number;
  readonly seconds: number;
  /**
   * Over WebSockets: request n is due at its time, however long answers take, and how long its own took counts from then.
   * Otherwise each answer is followed by the next request.
   */
  readonly perSecond?: number;
  /** Text of the n-th request; undefined when there is no more to ask. The id must be n. */
  request(n: number): string | undefined;
  /** Looks at an answer; throws to end the load. */
  check(answer: string): void;
}

export interface LoadResult {
  readonly perSecond: number;
  readonly answers: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly longestMs: number;
}

interface Run {
  readonly load: Load;
  readonly latencies: number[];
  next: number;
  /** Sent and not answered, on all connections: one that has nothing more to ask must not end what others wait for. */
  underWay: number;
  /** The time is over; where nothing was answered yet, the first answer is waited for. */
  isOver: boolean;
  ended: boolean;
  failed: unknown;
  readonly done: () => void;
}

export async function runLoad(load: Load): Promise<LoadResult> {
  const clients: { close(): void }[] = [];
  let run!: Run;
  const finished = new Promise<void>((resolve) => {
    run = { load, latencies: [], next: 0, underWay: 0, isOver: false, ended: false, failed: undefined, done: resolve };
  });
  const openers = Array.from({ length: load.connections }, () =>
    load.transport === 'ws' ? openSocket(run) : openHttp(run),
  );
  const starts = await Promise.all(openers);
  clients.push(...starts);
  const start = performance.now();
  const pump = load.perSecond === undefined ? undefined : pace(run, load.perSecond, starts);
  if (pump === undefined) for (const client of starts) client.start();
  const timer = setTimeout(() => {
    run.isOver = true;
    if (run.latencies.length > 0) run.done();
  }, load.seconds * 1000);
  await finished;
  clearTimeout(timer);
  clearInterval(pump);
  run.ended = true;
  const elapsed = (performance.now() - start) / 1000;
  for (const client of clients) client.close();
  if (run.failed !== undefined) throw run.failed;
  const sorted = run.latencies.sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return {
    perSecond: sorted.length / elapsed,
    answers: sorted.length,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    p999Ms: at(0.999),
    longestMs: at(1),
  };
}

/** What is due goes to one connection after the other, as long as not too many are under way. */
function pace(run: Run, perSecond: number, clients: readonly Client[]): NodeJS.Timeout {
  const { load } = run;
  const start = performance.now();
  const most = load.connections * load.inFlight;
  return setInterval(() => {
    const due = ((performance.now() - start) * perSecond) / 1000;
    while (run.next < due && run.underWay < most) {
      const before = run.next;
      clients[before % clients.length]?.send(start + (before * 1000) / perSecond);
      if (run.next === before) return;
    }
  }, 1);
}

interface Client {
  start(): void;
  /** The next request, if there is one, which was due at this time. */
  send(dueMs: number): void;
  close(): void;
}

function fail(run: Run, error: unknown): void {
  if (run.ended) return;
  run.failed = error;
  run.done();
}

async function openSocket(run: Run): Promise<Client> {
  const { load } = run;
  const socket = new WebSocket(`ws://127.0.0.1:${load.port}`, { perMessageDeflate: false });
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  socket.on('error', (error) => fail(run, error));
  socket.on('close', () => fail(run, new Error('the node closed a connection')));
  // Answers may come in any order: the id says which request it was.
  const sentAt = new Map<number, number>();
  const send = (dueMs: number): void => {
    const n = run.next;
    const text = run.ended ? undefined : load.request(n);
    if (text === undefined) {
      if (run.underWay === 0) run.done();
      return;
    }
    run.next++;
    run.underWay++;
    sentAt.set(n, dueMs);
    socket.send(text);
  };
  socket.on('message', (data: Buffer) => {
    if (run.ended) return;
    run.underWay--;
    const text = data.toString('latin1');
    const n = Number(text.slice('{"id":'.length, text.indexOf(',')));
    run.latencies.push(performance.now() - (sentAt.get(n) ?? 0));
    sentAt.delete(n);
    if (run.isOver) run.done();
    try {
      load.check(text);
    } catch (error) {
      fail(run, error);
      return;
    }
    if (load.perSecond === undefined) send(performance.now());
  });
  return {
    start: () => {
      for (let i = 0; i < load.inFlight; i++) send(performance.now());
    },
    send,
    close: () => socket.terminate(),
  };
}

/** Keep-alive HTTP by hand: a general client costs more than the server it measures. */
async function openHttp(run: Run): Promise<Client> {
  const { load } = run;
  const socket: Socket = connect(load.port, '127.0.0.1');
  socket.setNoDelay(true);
  await new Promise((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  socket.on('error', (error) => fail(run, error));
  socket.on('close', () => fail(run, new Error('the node closed a connection')));
  let sentAt = 0;
  let received = '';
  const send = (): void => {
    const text = run.ended ? undefined : load.request(run.next);
    if (text === undefined) {
      if (run.underWay === 0) run.done();
      return;
    }
    run.next++;
    run.underWay++;
    sentAt = performance.now();
    socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  };
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    if (run.ended) return;
    received += chunk;
    const body = completeBody(received);
    if (body === undefined) return;
    received = '';
    run.underWay--;
    run.latencies.push(performance.now() - sentAt);
    if (run.isOver) run.done();
    try {
      load.check(body);
    } catch (error) {
      fail(run, error);
      return;
    }
    send();
  });
  return { start: send, send, close: () => socket.destroy() };
}

function completeBody(text: string): string | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const length = Number(/content-length: (\d+)/i.exec(text.slice(0, end))?.[1]);
  const body = text.slice(end + 4);
  return body.length >= length ? body : undefined;
}
