import { RpcConnectionError } from './connection.js';

/** Whoever is told of something. */
export type Tell<T> = (one: T) => void | Promise<void>;

/**
 * What a listener throws is of its program, which nobody may hide from it: a block whose payments were not credited would
 * be taken for done. It becomes a rejection that nobody handles, as if the listener had been called by the program itself,
 * and others are told of the next one all the same. That a listener finds the connection closed by its own program is none.
 */
export function heard<T>(tell: Tell<T>, isClosed: () => boolean): (one: T) => Promise<void> {
  return async (one) => {
    try {
      await tell(one);
    } catch (error) {
      if (!(isClosed() && error instanceof RpcConnectionError)) void Promise.reject(error);
    }
  };
}
