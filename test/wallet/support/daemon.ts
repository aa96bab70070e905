import { type ChildProcess, spawn } from 'node:child_process';
import { STACK_SIZE } from '../../runner/stack-size.js';
import { TRUSTNODE } from '../../support/run-trustnode.js';

/** `trustnode wallet -d` in a process of its own. */
export interface WalletDaemon {
  readonly child: ChildProcess;
  /** What it has said so far. */
  said(): string;
  stop(): Promise<number | null>;
}

export async function startWallet(args: readonly string[]): Promise<WalletDaemon> {
  const child = spawn(process.execPath, [STACK_SIZE, TRUSTNODE, 'wallet', '-d', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (more: string) => {
      text += more;
    });
  }
  const ended = new Promise<number | null>((done) => child.once('close', done));
  const daemon = {
    child,
    said: () => text,
    stop: async () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
  await new Promise<void>((resolve, reject) => {
    const look = (): void => {
      if (text.includes('Entering Daemon Mode')) resolve();
    };
    child.stderr.on('data', look);
    ended.then((code) => reject(new Error(`the wallet has ended with ${code}: ${text}`)), reject);
  });
  return daemon;
}

export interface HttpReply {
  readonly status: number;
  readonly json: {
    readonly id?: unknown;
    readonly result?: unknown;
    readonly error?: { data: Record<string, unknown> };
  };
}

export async function askWallet(
  url: string,
  method: string,
  params: readonly unknown[] = [],
  headers: Readonly<Record<string, string>> = {},
): Promise<HttpReply> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const answer = await fetch(url, { method: 'POST', body, headers });
  const text = await answer.text();
  return { status: answer.status, json: text === '' ? {} : (JSON.parse(text) as HttpReply['json']) };
}
