import type { Chain } from '../../../src/chain/chain.js';
import { readObjectUpdate } from '../../../src/chain/debug-updates.js';
import { BlockFacts } from '../../../src/chain/facts.js';
import { type SignedBlock, signedBlock } from '../../../src/protocol/block.js';
import { publicKey } from '../../../src/protocol/keys.js';
import { objectOf } from '../../../src/protocol/objects/declare.js';
import { signedTransaction } from '../../../src/protocol/transaction.js';
import { Rpc } from '../../../src/rpc/rpc.js';
import { ApiAccess } from '../../../src/rpc/sessions/access.js';
import type { Session } from '../../../src/rpc/sessions/session.js';
import { idText } from '../../../src/state/define.js';
import type { Change } from '../../../src/state/object-db.js';
import { accountStatisticsObject } from '../../../src/state/objects/account-statistics.js';
import { witnessObject } from '../../../src/state/objects/witness.js';
import { goldenBlocks } from '../../support/golden.js';
import { NETWORK } from '../../support/network.js';
import { chainOf } from './golden-node.js';
import { EVERY_API, goldenPorts } from './golden-rpc.js';
import { forkBlocks, type RecordedStep, type Recording } from './recorded-notices.js';

/** Objects by id, as notices show them. */
export type Shown = Map<string, string>;

/** What one block did, for those who compare. */
export interface BlockEffects {
  readonly changes: readonly Shown[];
  /** All account statistics behind it: a plugin that counts operations changes more of them than the chain does. */
  readonly statistics: Shown;
}

export interface ReplayedStep {
  readonly blocks: readonly BlockEffects[];
  /** Objects of blocks that a switch has taken back. */
  readonly undone: ReadonlySet<string>;
  /** Notices by connection, in their order. */
  readonly notices: ReadonlyMap<string, readonly string[]>;
  /** Replies that came during the step, by connection and request id. */
  readonly replies: ReadonlyMap<string, string>;
}

const settled = async (): Promise<void> => {
  for (let i = 0; i < 3; i++) await new Promise(setImmediate);
};

const show = (definition: Parameters<typeof objectOf>[0], object: object): string =>
  JSON.stringify(objectOf(definition).toJson(object as never, NETWORK));

/** Does to our own node, through its real sessions, what the recording did to the reference. */
export async function* replay(recording: Recording): AsyncGenerator<[RecordedStep, ReplayedStep]> {
  const golden = new Map([...goldenBlocks()].map((block, index) => [index + 1, block]));
  const forks = forkBlocks();
  const chain = chainOf([...golden.values()].slice(0, recording.from));
  const ports = goldenPorts(chain);
  const rpc = new Rpc(ports, { access: ApiAccess.open(EVERY_API), networkNodeForAll: true });
  const sessions = new Map<string, Session>();
  let notices = new Map<string, string[]>();
  let replies = new Map<string, string>();
  let blocks: BlockEffects[] = [];
  let undone = new Set<string>();

  ports.chain.listen((notice) => {
    if (notice.kind === 'undone') {
      for (const { definition, instance } of notice.changed) undone.add(idText(definition, instance));
    }
    if (notice.kind !== 'applied') return;
    const kinds: [Shown, Shown, Shown] = [new Map(), new Map(), new Map()];
    for (const change of notice.changes()) kinds[kindOf(change)].set(idOf(change), textOf(change));
    const all = [...ports.chain.state.all(accountStatisticsObject)];
    const statistics = new Map(all.map((one) => [`2.6.${one.id}`, show(accountStatisticsObject, one)]));
    blocks.push({ changes: kinds, statistics });
  });

  const sessionOf = (conn: string): Session => {
    let session = sessions.get(conn);
    if (session === undefined) {
      const send = (text: string): void => {
        const list = notices.get(conn);
        if (list === undefined) notices.set(conn, [text]);
        else list.push(text);
      };
      session = rpc.openSession({ address: 'test', canNotify: true, send });
      sessions.set(conn, session);
    }
    return session;
  };

  const ask = async (conn: string, request: string): Promise<void> => {
    const reply = Promise.resolve(rpc.dispatcher.handle(request, sessionOf(conn)));
    void reply.then((text) => replies.set(`${conn} ${JSON.parse(request).id}`, text ?? ''));
    await settled();
  };

  const blockOf = (step: RecordedStep): SignedBlock | undefined => {
    if (step.block !== undefined) return signedBlock.fromJson(step.block, NETWORK);
    if (step.height === undefined) return undefined;
    return (step.fork === true ? forks : golden).get(step.height);
  };

  for (const step of recording.steps) {
    const requests = recording.requests.filter((one) => one.step === step.step);
    for (const { conn, request } of requests) await ask(conn, request);
    const disconnected = /^disconnect (\w+)$/.exec(step.action)?.[1];
    if (disconnected !== undefined) sessions.get(disconnected)?.close();
    const block = blockOf(step);
    if (step.action.startsWith(GENERATED) && block !== undefined) {
      giveWitnessTheKeyOf(chain, block);
      notices.clear();
    }
    if (block !== undefined) await ports.chain.pushBlock(block);
    else if (step.action === 'broadcast_transaction') {
      await ports.chain.push(signedTransaction.fromJson(step.transaction ?? {}, NETWORK));
    }
    await settled();
    yield [step, { blocks, undone, notices, replies }];
    blocks = [];
    undone = new Set();
    notices = new Map();
    replies = new Map();
  }
  rpc.close();
}

const BLOCK_SUMMARY = '2.8.';

/** The reference gives the witness the key that it was asked to sign with, by applying the head block anew. */
export const GENERATED = 'debug_generate_blocks';

function giveWitnessTheKeyOf(chain: Chain, block: SignedBlock): void {
  const signing_key = new BlockFacts(block).signer;
  chain.debug.amendHead(
    readObjectUpdate({
      _action: 'update',
      id: idText(witnessObject, block.witness),
      signing_key: publicKey.toJson(signing_key, NETWORK),
    }),
  );
}

function idOf({ definition, instance }: Change): string {
  return idText(definition, instance);
}

function textOf(change: Change): string {
  return change.value === undefined ? JSON.stringify(idOf(change)) : show(change.definition, change.value);
}

/** New, changed, removed. */
function kindOf(change: Change): 0 | 1 | 2 {
  if (change.value === undefined) return 2;
  return change.isNew === true && !idOf(change).startsWith(BLOCK_SUMMARY) ? 0 : 1;
}
