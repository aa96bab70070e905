import { Gauge, type Metric } from 'prom-client';
import type { QueryDoor } from '../../chain/doors.js';
import { definePart } from '../../plugin/part.js';
import { accountObject } from '../../state/objects/account.js';
import { globalPropertyObject } from '../../state/objects/global-property.js';
import { witnessObject } from '../../state/objects/witness.js';
import { witnessText } from '../../witness/decide.js';
import { buildInfo } from '../runtime/build-info.js';
import { DiskWatch } from '../runtime/disk.js';
import { isStarting } from '../runtime/start-metrics.js';
import { chainPart } from './chain.js';
import { WORLD } from './given.js';
import { importerPart } from './importer.js';
import { signatureThreadsPart } from './signature-threads.js';

function gauge(name: string, help: string, read: () => number): Metric {
  return new Gauge({
    name: `trustnode_${name}`,
    help,
    registers: [],
    collect() {
      this.set(read());
    },
  });
}

/** Percent of the chain's own count, as every ratio of a monitor is: 0 to 1. */
const participationRatio = (queries: QueryDoor): number => queries.participation() / 10_000;

/** Of all active witnesses, wherever they run: what the chain itself counts. */
function missedBlocks({ state }: QueryDoor): Metric {
  return new Gauge({
    name: 'trustnode_chain_witness_missed_blocks',
    help: 'Slots that an active witness has left empty in the whole life of the chain, by the count of the chain',
    labelNames: ['witness', 'account'],
    registers: [],
    collect() {
      // Who is no longer active is no longer shown.
      this.reset();
      for (const id of state.single(globalPropertyObject).active_witnesses) {
        const witness = state.find(witnessObject, id);
        if (witness === undefined) continue;
        const account = state.find(accountObject, witness.witness_account)?.name ?? '';
        this.set({ witness: witnessText(id), account }, Number(witness.total_missed));
      }
    },
  });
}

function diskParts(watch: DiskWatch): Metric {
  return new Gauge({
    name: 'trustnode_disk_used_bytes',
    help: 'Bytes of the files in the data directory, by the part that they belong to',
    labelNames: ['part'],
    registers: [],
    async collect() {
      const parts = await watch.parts();
      this.reset();
      for (const [part, bytes] of parts) this.set({ part }, bytes);
    },
  });
}

function diskRoom(watch: DiskWatch, name: string, help: string, of: 'freeBytes' | 'totalBytes'): Metric {
  return new Gauge({
    name: `trustnode_disk_${name}`,
    help,
    registers: [],
    async collect() {
      this.set((await watch.room())[of]);
    },
  });
}

/** What a monitor wants to know beside what the parts count by themselves. */
export const figuresPart = definePart({
  name: 'figures for monitors',
  needs: { world: WORLD, chain: chainPart, importer: importerPart, verifier: signatureThreadsPart },
  open({ needs: { world, chain, importer, verifier }, dataDir, clock }) {
    const { queries } = chain.chain;
    const watch = new DiskWatch(dataDir, clock, world.readRoom);
    return {
      value: undefined,
      metrics: [
        buildInfo(),
        isStarting(0),
        gauge(
          'chain_participation_ratio',
          'Slots of the last 128 that have a block, from 0 to 1; they reach back behind block 1 while a chain is young',
          () => participationRatio(queries),
        ),
        missedBlocks(queries),
        gauge('import_queue_blocks', 'Blocks of others that wait to be applied', () => importer.waiting),
        gauge('import_queue_bytes', 'Bytes of the blocks of others that wait', () => importer.waitingBytes),
        gauge(
          'signature_queue_calls',
          'Signature checks that wait for a place with the threads',
          () => verifier.waiting ?? 0,
        ),
        diskParts(watch),
        diskRoom(watch, 'free_bytes', 'Bytes that this node may still write where its data directory is', 'freeBytes'),
        diskRoom(watch, 'size_bytes', 'Bytes of the file system with the data directory', 'totalBytes'),
      ],
    };
  },
});
