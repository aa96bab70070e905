import { type Load, type LoadResult, runLoad } from './load.js';
import type { NodeProcess } from './node-process.js';
import { checkAnswer } from './requests.js';

const MAX_SEC = 300;

/** What broadcast transactions cost: the node by CPU time of each, in all threads and in its main thread, and the driver. */
export interface Cost {
  readonly load: LoadResult;
  readonly cpuUs: number;
  readonly mainUs: number;
  readonly driverUs: number;
}

/** Over 4 WebSockets with 16 under way each. */
export function broadcastAll(node: NodeProcess, texts: readonly string[]): Promise<Cost> {
  return broadcast(node, { connections: 4, inFlight: 16, seconds: MAX_SEC }, (n) => texts[n]);
}

/** The n-th transaction is what `textOf` gives, until it gives none; one that is refused ends it with its fault. */
export async function broadcast(
  node: NodeProcess,
  how: Pick<Load, 'connections' | 'inFlight' | 'seconds' | 'perSecond'>,
  textOf: (n: number) => string | undefined,
): Promise<Cost> {
  const [cpu, main, driver] = [node.cpuMs(), node.mainThreadMs(), process.cpuUsage()];
  const load = await runLoad({
    ...how,
    port: node.port,
    transport: 'ws',
    request: (n) => {
      const text = textOf(n);
      return text === undefined
        ? undefined
        : `{"id":${n},"method":"call","params":[2,"broadcast_transaction",[${text}]]}`;
    },
    check: checkAnswer,
  });
  const used = process.cpuUsage(driver);
  return {
    load,
    cpuUs: ((node.cpuMs() - cpu) * 1000) / load.answers,
    mainUs: ((node.mainThreadMs() - main) * 1000) / load.answers,
    driverUs: (used.user + used.system) / load.answers,
  };
}
