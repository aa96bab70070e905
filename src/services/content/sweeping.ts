import type { Clock, Logger } from '../../base/world.js';
import type { ContentStore } from './content-store.js';

const SWEEP_MS = 3_600_000;
/** Nothing takes so long to store. */
const UNUSED_MS = 3_600_000;

/** Files that a crash has left, once in a while; `first` takes out what nobody wants any more. */
export function startSweeping(
  content: ContentStore,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
  first: () => Promise<unknown> = async () => undefined,
): () => void {
  let isStopped = false;
  let cancel = (): void => undefined;
  const again = (): void => {
    const swept = first().then(() => content.sweep(UNUSED_MS));
    swept.then(
      (gone) => {
        if (gone > 0) log.info('cleared away files that no content has', { gone });
      },
      (error: unknown) => log.warn('could not clear away what no content has', { error }),
    );
    if (!isStopped) cancel = clock.after(SWEEP_MS, again);
  };
  again();
  return () => {
    isStopped = true;
    cancel();
  };
}
