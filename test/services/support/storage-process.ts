import { NodeProcess } from '../../support/node-process.js';
import { placeWords } from './databases.js';

export interface StorageProcess {
  readonly process: NodeProcess;
  readonly url: string;
  stop(): Promise<number | null>;
}

interface Wanted {
  readonly node: string;
  readonly account: string;
  readonly wif: string;
  readonly dataDir: string;
  /** Another one than that of the folder. */
  readonly database?: string;
  /** Where it is to be killed. */
  readonly crashPoint?: string;
}

/** `trustnode storage` as people run it. */
export async function startStorageProcess(wanted: Wanted, ...more: readonly string[]): Promise<StorageProcess> {
  const { node, account, wif, dataDir, database, crashPoint } = wanted;
  const variables = [
    `TRUSTNODE_STORAGE_KEY=${wif}`,
    ...(crashPoint === undefined ? [] : [`TRUSTNODE_CRASH_POINT=${crashPoint}`]),
  ];
  const args = [
    'storage',
    '--node',
    node,
    '--account',
    account,
    ...(database === undefined ? await placeWords(dataDir) : ['--data-dir', dataDir, '--database', database]),
    '--endpoint',
    '127.0.0.1:0',
  ];
  const service = new NodeProcess([...args, '--lease', '2', ...more], [], ['env', ...variables]);
  // A test that ends in the middle must not leave a service behind.
  const kill = (): void => service.kill('SIGKILL');
  process.once('exit', kill);
  void service.finished.then(() => process.off('exit', kill));
  const [, url = ''] = await service.until(/storage listens.* url=(http:\/\/[\d.]+:\d+)/);
  const stop = async (): Promise<number | null> => {
    service.kill('SIGTERM');
    return (await service.finished).code;
  };
  return { process: service, url, stop };
}
