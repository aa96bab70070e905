import { NodeProcess } from '../../support/node-process.js';

export interface ServiceProcess {
  readonly process: NodeProcess;
  readonly url: string;
  stop(): Promise<number | null>;
}

interface Wanted {
  /** `des`, `datasource`. */
  readonly service: string;
  readonly variable: string;
  readonly node: string;
  readonly account: string;
  readonly wif: string;
  /** Where it is to be killed. */
  readonly crashPoint?: string;
}

/** A service as people run it. */
export async function startService(wanted: Wanted, ...more: readonly string[]): Promise<ServiceProcess> {
  const { service, variable, node, account, wif, crashPoint } = wanted;
  const variables = [
    `${variable}=${wif}`,
    ...(crashPoint === undefined ? [] : [`TRUSTNODE_CRASH_POINT=${crashPoint}`]),
  ];
  const args = [service, '--node', node, '--account', account, '--endpoint', '127.0.0.1:0', ...more];
  const running = new NodeProcess(args, [], ['env', ...variables]);
  // A test that ends in the middle must not leave a service behind.
  const kill = (): void => running.kill('SIGKILL');
  process.once('exit', kill);
  void running.finished.then(() => process.off('exit', kill));
  const [, url = ''] = await running.until(/listens.* url=(http:\/\/[\d.]+:\d+)/);
  const stop = async (): Promise<number | null> => {
    running.kill('SIGTERM');
    return (await running.finished).code;
  };
  return { process: running, url, stop };
}
