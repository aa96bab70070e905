import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import t from 'tap';
import { NodeProcess } from './node-process.js';
import { projectPath } from './paths.js';
import { rpcCall } from './rpc-call.js';

const file = (name: string): string => projectPath('test', 'vectors', 'golden', 'main', name);

export const GOLDEN_GENESIS_FILE = file('genesis.json');

/** A line of JSON each, as the RPC shows them. */
const blocks: readonly string[] = gunzipSync(readFileSync(file('blocks.jsonl.gz')))
  .toString('utf8')
  .split('\n');

export const goldenBlockText = (number: number): string => blocks[number - 1] as string;

interface Head {
  readonly head_block_number: number;
  readonly head_block_id: string;
  readonly last_irreversible_block_num: number;
}

/** A real node process over the recorded chain, which gets its blocks by RPC. */
export class GoldenProcess {
  readonly process: NodeProcess;
  endpoint = '';

  constructor(folder: string, more: readonly string[], port = 0) {
    this.process = new NodeProcess([
      ...['start', '--data-dir', folder, '--genesis-json', GOLDEN_GENESIS_FILE, '--data-transaction-lifetime', '0'],
      ...['--rpc-endpoint', `127.0.0.1:${port}`, '--seed-nodes', '[]', '--max-ops-per-account', '1000', ...more],
    ]);
    t.teardown(() => this.process.kill('SIGKILL'));
  }

  async ready(): Promise<this> {
    const [, endpoint = ''] = await this.process.until(/(127\.0\.0\.1:\d+)[\s\S]*the node is running/);
    this.endpoint = endpoint;
    return this;
  }

  get port(): number {
    return Number(this.endpoint.split(':')[1]);
  }

  call<T>(api: string, method: string, params: unknown[]): Promise<T> {
    return rpcCall<T>(this.endpoint, 'call', [api, method, params]);
  }

  head(): Promise<Head> {
    return rpcCall(this.endpoint, 'get_dynamic_global_properties', []);
  }

  async push(to: number): Promise<void> {
    for (let number = (await this.head()).head_block_number + 1; number <= to; number++) {
      await this.call('network_broadcast', 'broadcast_block', [JSON.parse(goldenBlockText(number))]);
    }
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    this.process.kill(signal);
    await this.process.finished;
  }
}
