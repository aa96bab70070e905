import { appendFileSync, closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import '../../src/bin/arm-crash-point.js';
import '../../src/operations/index.js';
import { toHex } from '../../src/base/bytes.js';
import { crashPoint } from '../../src/base/crash-point.js';
import { SignedSlots } from '../../src/node/chain/signed-slots.js';
import { slotSigner } from '../../src/node/chain/slot-signer.js';
import { flushInBackground, openStoredChain } from '../../src/node/chain/stored-chain.js';
import { nodeFiles } from '../../src/storage/files.js';
import { Producer } from '../../src/witness/producer.js';
import { FakeClock } from '../support/fake-clock.js';
import { NETWORK } from '../support/network.js';
import { witnessKey } from '../support/world-genesis.js';
import { CRASH_WITNESSES, crashGenesis, SIGNED_FILE, TIME_FILE } from './crash-world.js';
import { quietLog } from './quiet-log.js';

/**
 * A witness over a real data directory whose time passes as fast as it can work, until somebody kills it. What it signs
 * and where its time stands it writes into files of its own. Arguments: data directory, time in milliseconds.
 */
const [dataDir = '', startMs = '0'] = process.argv.slice(2);
const clock = new FakeClock(Number(startMs));

const stored = await openStoredChain({
  dataDir,
  genesis: crashGenesis(),
  log: quietLog,
  start: 'normal',
  chain: { saveBlocks: 2 },
  flushLimits: { blocks: 20, objects: 100 },
});
const { chain } = stored;
const { queries } = chain;
flushInBackground(stored, (error) => {
  throw error;
});
const slots = new SignedSlots({
  files: nodeFiles,
  dataDir,
  chainId: queries.chainId,
  nowSec: Math.ceil(clock.nowMs() / 1000),
  isBegun: false,
  lost: (file, how) => {
    throw new Error(`${file} is ${how}`);
  },
});
const keys = Array.from({ length: CRASH_WITNESSES }, (_, i) => witnessKey(`init${i}`));
const producer = new Producer(
  {
    witnesses: keys.map((_, i) => i + 1),
    keys,
    staleProduction: true,
    participationMin: 0,
  },
  {
    clock,
    log: quietLog,
    network: NETWORK,
    slots,
    plan: () => queries.slotPlan(),
    processorMs: () => 0,
    view: {
      slotTime: (slot) => queries.slotTime(slot),
      slotAt: (timeSec) => queries.slotAt(timeSec),
      scheduledWitness: (slot) => queries.scheduledWitness(slot),
      signingKey: (witness) => keys[witness - 1]?.publicKey ?? '',
      participation: () => queries.participation(),
    },
    produce: ({ slotSec, witness }, key) => {
      const signer = slotSigner(slots, slotSec, key);
      const sign = (digest: Uint8Array) => {
        const signature = signer.sign(digest);
        appendFileSync(join(dataDir, SIGNED_FILE), `${slotSec} ${toHex(digest)}\n`);
        return signature;
      };
      const { number, id } = chain.blocks.produce({ when: slotSec, witness, signer: { ...signer, sign } });
      crashPoint('block_made');
      return { number, id, transactions: 0 };
    },
  },
);
producer.start();
const time = openSync(join(dataDir, TIME_FILE), 'w+');
process.stdout.write('ready\n');
for (;;) {
  writeSync(time, String(clock.nowMs()).padStart(16), 0);
  clock.advance(100);
  await new Promise((resume) => setImmediate(resume));
  if (clock.nowMs() - Number(startMs) > 3_600_000) break;
}
closeSync(time);
await stored.close();
