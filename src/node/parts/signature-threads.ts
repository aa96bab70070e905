import { cpus } from 'node:os';
import { fasterLibraryMissing, signatureBackend } from '../../crypto/signature.js';
import { definePart } from '../../plugin/part.js';
import { inlineVerifier } from '../../verify/inline.js';
import { RestingPool } from '../../verify/resting-pool.js';
import type { SignatureVerifier } from '../../verify/verify.js';
import { threadOptions } from '../settings/options.js';

const THREADS_MAX = 8;

/** One processor stays with the main thread; more threads than that help nobody. */
function threadsFor(wanted: number | undefined): number {
  return wanted ?? Math.min(THREADS_MAX, Math.max(1, cpus().length - 1));
}

export const signatureThreadsPart = definePart({
  name: 'signature threads',
  needs: {},
  options: { title: 'Node', table: threadOptions },
  logModule: 'node',
  open({ options, log, clock }) {
    const workers = threadsFor(options['verify-threads']);
    const value: SignatureVerifier = workers === 0 ? inlineVerifier() : new RestingPool({ workers }, clock);
    const { version } = signatureBackend();
    const missing = fasterLibraryMissing();
    log.info('signatures', {
      library: value.backend,
      ...(version === undefined ? {} : { version }),
      threads: workers,
      ...(missing === undefined ? {} : { fasterOneMissing: missing }),
    });
    return { value, close: () => value.close() };
  },
});
