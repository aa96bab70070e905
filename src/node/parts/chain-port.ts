import { definePart } from '../../plugin/part.js';
import { chainPort } from '../ports/chain-port.js';
import { TransactionIntake } from '../ports/intake.js';
import { chainPart } from './chain.js';
import { genesisPart } from './genesis.js';
import { importerPart } from './importer.js';
import { signatureThreadsPart } from './signature-threads.js';

/** The chain as clients reach it. */
export const chainPortPart = definePart({
  name: 'chain port',
  needs: { chain: chainPart, genesis: genesisPart, importer: importerPart, verifier: signatureThreadsPart },
  open({ needs: { chain, genesis, importer, verifier } }) {
    const { pending, queries } = chain.chain;
    const value = chainPort({
      blocks: chain.blocks,
      pending,
      queries,
      importer,
      intake: new TransactionIntake(verifier, genesis.source.chainId),
    });
    return { value };
  },
});
