import { signatureBackend } from '../../crypto/signature.js';
import { definePart } from '../../plugin/part.js';
import { witnessOptions } from '../../witness/options.js';
import { Producer } from '../../witness/producer.js';
import { headSigningKeys } from '../chain/signing-keys.js';
import { chainPart } from './chain.js';
import { importerPart } from './importer.js';
import { metricsPart } from './metrics.js';

/** Block production. It is opened last: a node whose other parts do not come up makes no blocks. */
export const witnessPart = definePart({
  name: 'witness',
  title: 'block production',
  needs: { chain: chainPart, importer: importerPart, metrics: metricsPart },
  options: { title: 'Block production', table: witnessOptions },
  plugin: { isDefault: true },
  open({ needs: { chain: node, importer, metrics }, options, clock, log }) {
    const { chain } = node;
    const { queries } = chain;
    const value = new Producer(
      {
        witnesses: options['witness-id'],
        keys: options['private-key'],
        staleProduction: options['enable-stale-production'],
        participationMin: options['required-participation'],
      },
      {
        clock,
        log,
        network: queries.state.network,
        onAnswer: (code) => metrics.answer(code),
        view: {
          slotTime: (slot) => queries.slotTime(slot),
          slotAt: (time) => queries.slotAt(time),
          scheduledWitness: (slot) => queries.scheduledWitness(slot),
          signingKey: headSigningKeys(chain, options['witness-id']),
          participation: () => queries.participation(),
        },
        produce: ({ slotSec, witness }, key) => {
          const signer = {
            publicKey: key.publicKey,
            sign: (digest: Uint8Array) => signatureBackend().sign(digest, key),
          };
          const { number, id, transactions } = importer.produce({ when: slotSec, witness, signer });
          return { number, id, transactions: transactions.length };
        },
      },
    );
    value.start();
    return { value, close: () => value.stop() };
  },
});
