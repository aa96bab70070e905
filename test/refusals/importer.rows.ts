import { BORDER_ERRORS } from '../../src/importer/border.js';
import { BlockImporter, IMPORTER_ERRORS, type ImporterParts } from '../../src/importer/importer.js';
import { signedBlock } from '../../src/protocol/block.js';
import { inlineVerifier } from '../../src/verify/inline.js';
import { assertion, type Refusal } from './define.js';

/** What is said of a block before the chain sees it. */

const block = signedBlock.default();
const importer = (parts: Partial<ImporterParts> = {}): BlockImporter =>
  new BlockImporter({
    door: {
      push: () => ({ isApplied: true, hasSwitched: false }),
      produce: () => {
        throw new Error('nothing is made here');
      },
    },
    network: { decoder: 'new' },
    chainId: '',
    verifier: inlineVerifier(),
    nowMs: () => 0,
    bytesMax: () => 1000,
    ...parts,
  });

export const refusals: readonly Refusal[] = [
  assertion(BORDER_ERRORS.block_bytes, 'a block of 112 bytes; this node takes at most 111 from others', () =>
    importer({ bytesMax: () => 111 }).import(block, { kind: 'rpc' }),
  ),
  assertion(BORDER_ERRORS.block_other_id, 'the block has the id 000000016a04e0f7b1e40775aa6cc9b5072e3b85, not 00', () =>
    importer().import(block, { kind: 'rpc' }, '00'),
  ),
  assertion(
    IMPORTER_ERRORS.importer_full,
    'this node has 0 blocks of 0 bytes to apply and takes no more at the moment',
    () => importer({ limits: { blocks: 0, bytes: 0 } }).import(block, { kind: 'rpc' }),
  ),
  assertion(IMPORTER_ERRORS.importer_closed, 'this node is being stopped and takes no more blocks', async () => {
    const closed = importer();
    await closed.close();
    return closed.import(block, { kind: 'rpc' });
  }),
];
