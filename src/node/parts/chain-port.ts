import { definePart } from '../../plugin/part.js';
import { chainPort } from '../ports/chain-port.js';
import { TransactionIntake } from '../ports/intake.js';
import { chainPart } from './chain.js';
import { genesisPart } from './genesis.js';
import { signatureThreadsPart } from './signature-threads.js';

/** The chain as clients reach it. */
export const chainPortPart = definePart({
  name: 'chain port',
  needs: { chain: chainPart, genesis: genesisPart, verifier: signatureThreadsPart },
  open({ needs: { chain, genesis, verifier }, clock }) {
    const { pending, queries } = chain.chain;
    const value = chainPort({
      blocks: chain.blocks,
      pending,
      queries,
      verifier,
      intake: new TransactionIntake(verifier, genesis.source.chainId),
      nowMs: () => clock.nowMs(),
    });
    return { value };
  },
});
