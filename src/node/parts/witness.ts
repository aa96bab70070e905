import { crashPoint } from '../../base/crash-point.js';
import { ChainError } from '../../base/errors.js';
import type { QueryDoor } from '../../chain/doors.js';
import { BlockFacts } from '../../chain/facts.js';
import type { PublicKey } from '../../crypto/public-key.js';
import type { ImportListener } from '../../importer/importer.js';
import { definePart } from '../../plugin/part.js';
import type { SignedBlock } from '../../protocol/block.js';
import { globalPropertyObject } from '../../state/objects/global-property.js';
import { nodeFiles } from '../../storage/files.js';
import { timeText, witnessText } from '../../witness/decide.js';
import { witnessOptions } from '../../witness/options.js';
import { Producer } from '../../witness/producer.js';
import { SignedSlots } from '../chain/signed-slots.js';
import { headSigningKeys } from '../chain/signing-keys.js';
import { slotSigner } from '../chain/slot-signer.js';
import { processorMs } from '../runtime/processor-time.js';
import { chainPart } from './chain.js';
import { devChainPart } from './dev-chain.js';
import { devControlPart } from './dev-control.js';
import { importerPart } from './importer.js';
import { metricsPart } from './metrics.js';
import { networkPart } from './network.js';

/** Block production. It is opened last: a node whose other parts do not come up makes no blocks. */
export const witnessPart = definePart({
  name: 'witness',
  title: 'block production',
  needs: {
    chain: chainPart,
    importer: importerPart,
    metrics: metricsPart,
    network: networkPart,
    dev: devControlPart,
    devChain: devChainPart,
  },
  options: { title: 'Block production', table: witnessOptions },
  plugin: { isDefault: true },
  open({ needs: { chain: node, importer, metrics, network, dev, devChain }, options, dataDir, clock, log }) {
    const { chain } = node;
    const { queries } = chain;
    const witnesses = [...new Set([...options['witness-id'], ...(devChain?.witnesses ?? [])])];
    const slots = new SignedSlots({
      files: nodeFiles,
      dataDir,
      chainId: queries.chainId,
      nowSec: Math.ceil(clock.nowMs() / 1000),
      // A chain for development has one node, and its time may be taken back.
      isBegun: queries.head.number > 0 && dev === undefined,
      lost(file, how) {
        if (witnesses.length === 0) return;
        log.warn(
          how === 'missing'
            ? 'nothing says what was signed last: everything until now counts as signed'
            : 'what was signed last cannot be read: everything until now counts as signed',
          { file },
        );
      },
    });
    const value = new Producer(
      {
        witnesses,
        keys: [...options['private-key'], ...(devChain?.keys ?? [])],
        staleProduction: options['enable-stale-production'],
        participationMin: options['required-participation'],
      },
      {
        clock,
        log,
        network: queries.state.network,
        slots,
        plan: () => queries.slotPlan(),
        processorMs,
        alone: {
          mayBegin: options['begin-chain'],
          headNumber: () => queries.head.number,
          activeWitnesses: () => queries.state.single(globalPropertyObject).active_witnesses,
          blocksBehind: () => network?.progress().blocksBehind,
        },
        isPaused: () => dev?.leavesBlocksToTime === false,
        onAnswer: (code) => metrics.answer(code),
        onMissed: (witness) => metrics.slotMissed(witnessText(witness)),
        view: {
          slotTime: (slot) => queries.slotTime(slot),
          slotAt: (time) => queries.slotAt(time),
          scheduledWitness: (slot) => queries.scheduledWitness(slot),
          signingKey: headSigningKeys(chain, witnesses),
          participation: () => queries.participation(),
        },
        produce: ({ slotSec, witness }, key) => {
          const signer = slotSigner(slots, slotSec, key);
          const { number, id, transactions } = importer.produce({ when: slotSec, witness, signer });
          crashPoint('block_made');
          return { number, id, transactions: transactions.length };
        },
      },
    );
    const unsubscribe = [
      importer.subscribe(ofOthers(queries, value)),
      chain.blocks.subscribe((event) => {
        if (event.kind === 'undone') value.headReplaced();
        if (event.kind !== 'applied') return;
        // Nobody has missed slots that somebody wanted to be empty, or of a chain that had not begun.
        if (dev?.takeJump() === true || event.block.number === 1) value.headReplaced();
        else value.headApplied(event.block.block.timestamp);
      }),
    ];
    // Accounts of a development chain have money, and fees have a price, from its first block on. Where there are peers, one
    // of them may have begun it.
    const isFresh = dev !== undefined && network === undefined && queries.head.number === 0;
    value.start({ isAtOnce: isFresh });
    const endDev = dev?.begin(slots);
    return {
      value,
      health() {
        const names = value.signedElsewhere.map(witnessText).join(' ');
        if (names !== '') return `another machine makes blocks for ${names} with the same key`;
        const aheadSec = witnesses.length === 0 ? undefined : value.signedAheadSec;
        return aheadSec === undefined
          ? undefined
          : `a block for ${timeText(aheadSec)} was signed by a wrong clock, and none is before that`;
      },
      close() {
        endDev?.();
        value.stop();
        for (const end of unsubscribe) end();
        slots.close();
      },
    };
  },
});

/** Tells of blocks that peers and clients have sent, those of branches among them. */
function ofOthers(queries: QueryDoor, producer: Producer): ImportListener {
  return ({ kind }, outcome) => {
    if ((kind !== 'peer' && kind !== 'rpc') || 'error' in outcome) return;
    const { id, number } = outcome;
    const block = queries.blockById(id);
    if (block === undefined) return;
    const { witness, timestamp } = block;
    producer.blockCame({ id, number, witness, slotSec: timestamp, signer: () => signerOf(block) });
  };
}

/** Undefined: the signature is none. A block of a branch is not looked at that closely when it comes. */
function signerOf(block: SignedBlock): PublicKey | undefined {
  try {
    return new BlockFacts(block).signer;
  } catch (error) {
    if (error instanceof ChainError) return undefined;
    throw error;
  }
}
