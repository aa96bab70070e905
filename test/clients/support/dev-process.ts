import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NodeProcess } from '../../support/node-process.js';
import type { ClientAccount } from './gxclient.js';

export interface DevAccountOfFile extends ClientAccount {
  readonly id: string;
  readonly public_key: string;
}

export interface DevProcess {
  /** `127.0.0.1:port`. */
  readonly endpoint: string;
  readonly dataDir: string;
  readonly chainId: string;
  readonly alice: DevAccountOfFile;
  readonly bob: DevAccountOfFile;
  readonly carol: DevAccountOfFile;
  stop(): Promise<void>;
}

/** The program with a development network of its own, once its chain is set up. */
export async function startDevProcess(folder: string, ...more: readonly string[]): Promise<DevProcess> {
  const dataDir = join(folder, 'data');
  const node = new NodeProcess([
    ...['start', '--dev', '--data-dir', dataDir, '--rpc-endpoint', '127.0.0.1:0', '--verify-threads', '0'],
    ...more,
  ]);
  // A test that ends in the middle must not leave a node behind.
  process.once('exit', () => node.kill('SIGKILL'));
  try {
    const [, chainId = ''] = await node.until(/chain id +([0-9a-f]{64})/);
    const [, endpoint = ''] = await node.until(/RPC +http:\/\/(127\.0\.0\.1:\d+)/);
    await node.until(/chain +block +num=3 /);
    const accounts = JSON.parse(readFileSync(join(dataDir, 'dev-accounts.json'), 'utf8')) as DevAccountOfFile[];
    const named = (name: string): DevAccountOfFile => {
      const found = accounts.find((one) => one.name === name);
      if (found === undefined) throw new Error(`no ${name} among the development accounts`);
      return found;
    };
    const stop = async (): Promise<void> => {
      node.kill('SIGKILL');
      await node.finished;
    };
    return { endpoint, dataDir, chainId, alice: named('alice'), bob: named('bob'), carol: named('carol'), stop };
  } catch (error) {
    node.kill('SIGKILL');
    throw error;
  }
}
