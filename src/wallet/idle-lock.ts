import type { Wallet } from './wallet.js';

/** Locks a wallet that nobody asks for anything. */
export class IdleLock {
  readonly #wallet: Wallet;
  readonly #seconds: number;
  #timer: NodeJS.Timeout | undefined;
  /** Somebody may be looking at what says that it is unlocked. */
  onLock: () => void = () => undefined;

  /** Never after 0 seconds. */
  constructor(wallet: Wallet, seconds: number) {
    this.#wallet = wallet;
    this.#seconds = seconds;
  }

  /** It is in use: the time begins anew. */
  touch(): void {
    this.stop();
    if (this.#seconds > 0) this.#timer = setTimeout(() => this.#lock(), this.#seconds * 1000);
  }

  #lock(): void {
    if (this.#wallet.ring.isLocked) return;
    this.#wallet.ring.lock();
    this.onLock();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
