import { ChainError } from '../../../src/base/errors.js';
import type { Json } from '../../../src/codec/json.js';
import { publicKey } from '../../../src/protocol/keys.js';
import type { CompiledMethod } from '../../../src/rpc/dispatch/compiled.js';
import { isPieces, type Pieces } from '../../../src/rpc/pieces/pieces.js';
import type { ChainPort, RpcPorts } from '../../../src/rpc/ports.js';
import { Rpc } from '../../../src/rpc/rpc.js';
import { ApiAccess } from '../../../src/rpc/sessions/access.js';
import type { Session } from '../../../src/rpc/sessions/session.js';
import type { ReadState } from '../../../src/state/views.js';
import { BareWorld } from '../../support/bare-world.js';
import { FakeClock } from '../../support/fake-clock.js';
import { MemoryLog } from '../../support/memory-log.js';
import { NETWORK } from '../../support/network.js';
import type { ThreadTime } from '../../support/thread-time.js';
import { VisitedRows } from '../../support/visited-rows.js';
import { FILLINGS, fillNamed, fillRows, KEY } from './full-tables.js';
import { EVERY_API } from './golden-rpc.js';

export interface Looked {
  readonly rows: number;
  /** In the slice with most of them. */
  readonly most: number;
  readonly refusal: string | undefined;
  /** Of the clock. */
  readonly ms: number;
  /** CPU time of the longest slice where there is a thread's time, or the clock's. */
  readonly longestMs: number;
}

/** The state of a node with so many objects of every type, and its RPC layer. */
export class FullNode {
  readonly #visited = new VisitedRows();
  readonly #ports: RpcPorts;
  readonly #rpc: Rpc;
  readonly #session: Session;
  readonly #time: ThreadTime | undefined;

  /** Without a thread's time, which takes longer to ask for than a slice, the times are the clock's. */
  constructor(count: number, fillings = FILLINGS, time?: ThreadTime) {
    this.#time = time;
    const world = new BareWorld();
    fillNamed(world.state, (name, given) => world.account(name, given));
    for (const filling of fillings) fillRows(world.state, filling, count);
    this.#ports = { chain: chainOver(this.#visited.over(world.state)), clock: new FakeClock(), log: new MemoryLog() };
    this.#rpc = new Rpc(this.#ports, { access: ApiAccess.open(EVERY_API) });
    this.#session = this.#rpc.openSession({ address: 'test', canNotify: false, send: () => undefined });
  }

  async ask(method: CompiledMethod, args: readonly Json[]): Promise<Looked> {
    this.#visited.count = 0;
    let [most, rows, longestMs, ms] = [0, 0, 0, 0];
    let began = performance.now();
    let cpu = this.#time?.now() ?? 0;
    const slice = (): void => {
      most = Math.max(most, this.#visited.count);
      rows += this.#visited.count;
      this.#visited.count = 0;
      const now = performance.now();
      const cpuNow = this.#time?.now() ?? Number.POSITIVE_INFINITY;
      longestMs = Math.max(longestMs, Math.min(now - began, cpuNow - cpu));
      ms += now - began;
      began = performance.now();
      cpu = cpuNow;
    };
    const step = <T>(work: Pieces<T>): T => {
      for (;;) {
        const { done, value } = work.next();
        slice();
        if (done === true) return value as T;
      }
    };
    const handle = this.#session.apiByName('database');
    const context = { node: this.#ports, services: this.#rpc.services, session: this.#session, handle };
    try {
      const given = step(method.decode([...args], NETWORK));
      let result: unknown = method.definition.run(context, given as never);
      if (isPieces(result)) result = step(result);
      // One method waits for a block, and none will come.
      if (result instanceof Promise) result = await Promise.race([result, new Promise(setImmediate)]);
      if (isPieces(result)) result = step(result);
      slice();
      return { rows, most, refusal: undefined, longestMs, ms };
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      slice();
      return { rows, most, refusal: error.message, longestMs, ms };
    }
  }

  close(): void {
    this.#rpc.close();
  }
}

/** A chain without blocks, that takes everything. */
function chainOver(state: ReadState): ChainPort {
  return {
    chainId: '00'.repeat(32),
    state,
    packedBlock: () => undefined,
    packedBlockById: () => undefined,
    push: async (transaction) => ({ id: '', transaction: { ...transaction, operation_results: [] } }),
    signers: async () => [publicKey.fromJson(KEY, NETWORK)],
    dryRun: async (transaction) => ({ ...transaction, operation_results: [] }),
    pushBlock: async () => undefined,
    contractFee: () => ({ amount: 0n, asset_id: 1 }),
    listen: () => () => undefined,
  };
}
