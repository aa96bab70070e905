import { RECEIVED_BYTES_MAX } from '../../importer/border.js';
import { BlockImporter } from '../../importer/importer.js';
import { BLOCK_INTAKE, type BlockIntake } from '../../plugin/api.js';
import { definePart } from '../../plugin/part.js';
import { parameters } from '../../state/rules/parameters.js';
import { chainPart } from './chain.js';
import { genesisPart } from './genesis.js';
import { metricsPart } from './metrics.js';
import { signatureThreadsPart } from './signature-threads.js';

/** The way of blocks to the chain, for whoever has some. */
export const importerPart = definePart({
  name: 'block importer',
  needs: { chain: chainPart, genesis: genesisPart, verifier: signatureThreadsPart, metrics: metricsPart },
  open({ needs: { chain, genesis, verifier, metrics }, clock }) {
    const { queries } = chain.chain;
    const value = new BlockImporter({
      door: chain.blocks,
      network: genesis.source.network,
      chainId: queries.chainId,
      verifier,
      nowMs: () => clock.nowMs(),
      monotonicMs: () => clock.monotonicMs(),
      // A chain may have agreed on larger blocks than peers can send to each other.
      bytesMax: () => Math.max(RECEIVED_BYTES_MAX, parameters(queries.state).maximum_block_size),
      onOutcome: metrics.importListener,
    });
    return { value, close: () => value.close() };
  },
});

/** For plugins. */
export const blockIntakePart = definePart({
  name: BLOCK_INTAKE.name,
  needs: { importer: importerPart },
  open({ needs: { importer } }) {
    const value: BlockIntake = {
      async take(block, name) {
        await importer.import(block, { kind: 'peer', name });
      },
    };
    return { value };
  },
});
