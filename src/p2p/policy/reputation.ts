import { forgetOldest } from '../../base/forget-oldest.js';
import { ipKind } from '../ip-range.js';
import { P2P_LIMITS } from '../limits.js';
import type { IpText } from '../wire/endpoint.js';

export interface Ban {
  readonly address: IpText;
  readonly untilMs: number;
  readonly reason: string;
}

interface Entry {
  score: number;
  atMs: number;
}

/**
 * What became of connections with an address. A score halves with time; when it is too high, nothing is taken from the
 * address for a while. Behind a loopback address there may be anybody of this machine: it is never banned.
 */
export class Reputation {
  readonly #records = new Map<IpText, Entry>();
  readonly #bans = new Map<IpText, Ban>();
  readonly #spared: (ip: IpText) => boolean;

  /** `spared`: addresses that the operator wants to keep in any case. */
  constructor(spared: (ip: IpText) => boolean) {
    this.#spared = spared;
  }

  scoreOf(ip: IpText, nowMs: number): number {
    const record = this.#records.get(ip);
    if (record === undefined) return 0;
    return record.score * 0.5 ** ((nowMs - record.atMs) / P2P_LIMITS.score_half_life_ms);
  }

  /** Says whether the address is banned from now on. */
  blame(ip: IpText, penalty: number, reason: string, nowMs: number): boolean {
    if (penalty === 0 || ipKind(ip) === 'loopback' || this.#spared(ip)) return false;
    const score = this.scoreOf(ip, nowMs) + penalty;
    this.#remember(ip, { score, atMs: nowMs });
    if (score < P2P_LIMITS.score_ban) return false;
    this.#records.delete(ip);
    this.#bans.delete(ip);
    this.#bans.set(ip, { address: ip, untilMs: nowMs + P2P_LIMITS.ban_ms, reason });
    forgetOldest(this.#bans, P2P_LIMITS.addresses_remembered_max);
    return true;
  }

  isBanned(ip: IpText, nowMs: number): boolean {
    const ban = this.#bans.get(ip);
    if (ban === undefined) return false;
    if (ban.untilMs > nowMs) return true;
    this.#bans.delete(ip);
    return false;
  }

  bans(nowMs: number): readonly Ban[] {
    return [...this.#bans.values()].filter(({ untilMs }) => untilMs > nowMs);
  }

  #remember(ip: IpText, record: Entry): void {
    this.#records.delete(ip);
    this.#records.set(ip, record);
    forgetOldest(this.#records, P2P_LIMITS.addresses_remembered_max);
  }
}
