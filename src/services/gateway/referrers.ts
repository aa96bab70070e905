import { check, fail } from '../../base/errors.js';
import type { Instance } from '../../protocol/ids.js';
import type { ChainNode } from '../chain/node.js';
import { GATEWAY_ERRORS } from './errors.js';
import type { GatewayOptions } from './options.js';

/** Who has brought a newcomer, and what he has of it. */

export interface Brought {
  readonly referrer: Instance;
  readonly percent: number;
}

export class Referrers {
  readonly #node: ChainNode;
  readonly #registrar: Instance;
  readonly #options: Pick<GatewayOptions, 'referrer' | 'referrer-percent' | 'partner'>;

  constructor(
    node: ChainNode,
    registrar: Instance,
    options: Pick<GatewayOptions, 'referrer' | 'referrer-percent' | 'partner'>,
  ) {
    this.#node = node;
    this.#registrar = registrar;
    this.#options = options;
  }

  /** Each is looked at when the chain would: a code that leads nowhere is no reason to spend money. */
  async of(referrer: string | undefined, refcode: string | undefined): Promise<Brought> {
    const { partner, referrer: usual, 'referrer-percent': percent } = this.#options;
    const partnerOf = (code: string): string =>
      partner.find((one) => one.code === code)?.account ??
      fail(GATEWAY_ERRORS.gateway_referrer, { why: `the refcode ${code} belongs to nobody` });
    const byCode = refcode === undefined ? undefined : await this.#member(partnerOf(refcode));
    const byName = referrer === undefined ? undefined : await this.#member(referrer);
    const agree = byCode === undefined || byName === undefined || byCode === byName;
    check(agree, GATEWAY_ERRORS.gateway_referrer, { why: 'referrer and refcode belong to different accounts' });
    const found = byName ?? byCode ?? (usual === undefined ? undefined : await this.#member(usual));
    if (found === undefined || found === this.#registrar) return { referrer: this.#registrar, percent: 0 };
    return { referrer: found, percent };
  }

  async #member(account: string): Promise<Instance> {
    const found = /^1\.2\.\d{1,12}$/.test(account)
      ? (await this.#node.ask('an account', (chain) => chain.get_accounts({ ids: [Number(account.slice(4))] })))[0]
      : await this.#node.ask('an account', (chain) => chain.get_account_by_name({ name: account }));
    check(found !== undefined, GATEWAY_ERRORS.gateway_referrer, { why: `there is no account ${account}` });
    const { time } = await this.#node.head();
    const why = `${account} is no member: the chain lets members alone bring others`;
    check(found.membership_expiration_date >= time, GATEWAY_ERRORS.gateway_referrer, { why });
    return found.id;
  }
}
