import type { Chain } from '../../../src/chain/chain.js';
import { readObjectUpdate } from '../../../src/chain/debug-updates.js';
import { BlockFacts } from '../../../src/chain/facts.js';
import { type SignedBlock, signedBlock } from '../../../src/protocol/block.js';
import { publicKey } from '../../../src/protocol/keys.js';
import { signedTransaction } from '../../../src/protocol/transaction.js';
import { Rpc } from '../../../src/rpc/rpc.js';
import { ApiAccess } from '../../../src/rpc/sessions/access.js';
import type { Session } from '../../../src/rpc/sessions/session.js';
import { idText } from '../../../src/state/define.js';
import { witnessObject } from '../../../src/state/objects/witness.js';
import { goldenBlocks } from '../../support/golden.js';
import { NETWORK } from '../../support/network.js';
import { recordedHistory } from './golden-history.js';
import { EVERY_API } from './golden-rpc.js';
import { forkBlocks, type RecordedStep, type Recording } from './recorded-notices.js';

/** Objects by id, as notices show them. */
export type Shown = Map<string, string>;

export interface ReplayedStep {
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

/** Does to our own node, through its real sessions, what the recording did to the reference. */
export async function* replay(recording: Recording): AsyncGenerator<[RecordedStep, ReplayedStep]> {
  const golden = new Map([...goldenBlocks()].map((block, index) => [index + 1, block]));
  const forks = forkBlocks();
  const { chain: followed, ports, apis, close } = await recordedHistory(recording.from);
  const { chain } = followed.stored;
  const rpc = new Rpc(ports, { access: ApiAccess.open(EVERY_API), networkNodeForAll: true, apis });
  const sessions = new Map<string, Session>();
  let notices = new Map<string, string[]>();
  let replies = new Map<string, string>();
  let undone = new Set<string>();

  ports.chain.listen((notice) => {
    if (notice.kind === 'undone') {
      for (const { definition, instance } of notice.changed) undone.add(idText(definition, instance));
    }
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
    yield [step, { undone, notices, replies }];
    undone = new Set();
    notices = new Map();
    replies = new Map();
  }
  rpc.close();
  await close();
}

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
