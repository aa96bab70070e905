import type { Cancel, Clock, Logger } from '../../base/world.js';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
type Signal = (typeof SIGNALS)[number];

/** As much of `process` as is needed; tests hand in an emitter of their own. */
export interface SignalSource {
  on(signal: Signal, listener: () => void): unknown;
  off(signal: Signal, listener: () => void): unknown;
}

/** Shells show a process that died of a signal as 128 and the signal's number. */
const EXIT_CODES: Readonly<Record<Signal, number>> = { SIGINT: 130, SIGTERM: 143 };

/**
 * One Ctrl-C may come as several signals: a terminal sends it to npm and to the node, and npm sends what it got on to the
 * node. Nobody means to press it twice within this time.
 */
const ONE_WISH_MS = 500;

/** The first signal asks for an orderly stop; one that comes later than ONE_WISH_MS behind it ends the process at once. */
export function onSignals(
  source: SignalSource,
  log: Logger,
  clock: Pick<Clock, 'monotonicMs'>,
  actions: { readonly stop: () => void; readonly exitNow: (code: number) => void },
): Cancel {
  let stoppingSinceMs: number | undefined;
  const listeners = SIGNALS.map((signal) => {
    const listener = (): void => {
      const nowMs = clock.monotonicMs();
      if (stoppingSinceMs !== undefined) {
        if (nowMs - stoppingSinceMs < ONE_WISH_MS) return;
        log.warn('second signal, leaving at once', { signal });
        actions.exitNow(EXIT_CODES[signal]);
        return;
      }
      stoppingSinceMs = nowMs;
      log.info(
        'caught a signal, shutting down in order; another one, half a second later or more, ends the process at once',
        { signal },
      );
      actions.stop();
    };
    source.on(signal, listener);
    return [signal, listener] as const;
  });
  return () => {
    for (const [signal, listener] of listeners) source.off(signal, listener);
  };
}
