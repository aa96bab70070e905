import type { Kysely } from 'kysely';
import { fromHex, toHex } from '../../base/bytes.js';
import { crashPoint } from '../../base/crash-point.js';
import { ChainError, check, fail, invariant } from '../../base/errors.js';
import type { Cancel, Clock, Logger } from '../../base/world.js';
import { RpcConnectionError, RpcError } from '../../client/connection.js';
import {
  buildTransaction,
  idOfTransaction,
  operationOf,
  packTransaction,
  signTransaction,
  unpackTransaction,
} from '../../client/transactions.js';
import type { ChainId } from '../../crypto/digests.js';
import type { PrivateKey } from '../../crypto/private-key.js';
import type { PublicKey } from '../../crypto/public-key.js';
import { keyAuthority } from '../../protocol/authority.js';
import { type Instance, PROXY_TO_SELF_ACCOUNT } from '../../protocol/ids.js';
import type { Operation } from '../../protocol/operation-slot.js';
import { accountCreateOperation } from '../../protocol/operations/accounts.js';
import type { ChainNode } from '../chain/node.js';
import type { Budget } from './budget.js';
import { GATEWAY_ERRORS } from './errors.js';
import { giveInviteBack, takeInvite } from './invites.js';
import { type RegistrationRefusal, refusalOf } from './refusal.js';
import type { GatewayTables, RegistrationRow, RegistrationState } from './tables.js';

/**
 * New accounts, each paid for at most once whatever happens meanwhile: a transaction is charged to the budget and recorded
 * before anybody gets it, and the chain gives a name away once. So the same bytes may be sent as often as one likes, by
 * any instance.
 */

export interface Keys {
  readonly owner: PublicKey;
  readonly active: PublicKey;
  readonly memo: PublicKey;
}

export interface Newcomer extends Keys {
  readonly name: string;
}

/** What is looked at only for those that are not registered yet. */
export interface Admission {
  /** Undefined: nobody counts. */
  readonly address: string | undefined;
  /** Hash of the code that is used up, if one is. Throws where this one may not register. */
  invite(): string | undefined;
  /** Throws where this one may not register. */
  referrer(): Promise<{ readonly referrer: Instance; readonly percent: number }>;
}

/** What there is to tell: its transaction where this gateway has made it, its id once a block has it. */
export interface Registered {
  readonly row: RegistrationRow | undefined;
  readonly account: Instance | undefined;
}

export interface Registrar {
  readonly account: Instance;
  readonly key: PrivateKey;
  readonly chainId: ChainId;
  readonly feeAsset: Instance;
}

export interface RegistrationParts {
  readonly db: Kysely<GatewayTables>;
  readonly node: ChainNode;
  readonly registrar: Registrar;
  readonly budget: Budget;
  readonly waitMs: number;
  /** When a question to the node is given up: nobody sends the same bytes meanwhile, so that a refusal leaves no doubt. */
  readonly answerMs: number;
  refused(reason: RegistrationRefusal): void;
  readonly clock: Clock;
  readonly log: Logger;
}

const LIFETIME_SEC = 30;
const RETRY_MS = 2000;
const WORK_MS = 1000;
const LOOK_MS = 250;
const AT_ONCE_MAX = 50;
const FORGET_MS = 3_600_000;
/** How long what one registration costs is taken for what the next one does. */
const FEE_MS = 30_000;
/** Fees rise with the registrations of an hour. */
const PRICE_TRIES = 3;

const REFUSED_WITH: Readonly<Partial<Record<RegistrationRefusal, 'gateway_dry'>>> = { fee: 'gateway_dry' };

/** Somebody else was quicker with this name: what is recorded there decides. */
class NameIsRecorded extends Error {}

export function accountOperation(
  { name, owner, active, memo }: Newcomer,
  registrar: Instance,
  { referrer, percent }: { readonly referrer: Instance; readonly percent: number },
): Operation {
  return operationOf(accountCreateOperation, {
    registrar,
    referrer,
    referrer_percent: percent,
    name,
    owner: keyAuthority(owner),
    active: keyAuthority(active),
    options: {
      memo_key: memo,
      voting_account: PROXY_TO_SELF_ACCOUNT,
      num_witness: 0,
      num_committee: 0,
      votes: [],
      extensions: [],
    },
    extensions: {},
  });
}

const keysOf = ({ owner_key, active_key, memo_key }: RegistrationRow): Keys => ({
  owner: owner_key,
  active: active_key,
  memo: memo_key,
});

const isSame = (a: Keys, b: Keys): boolean => a.owner === b.owner && a.active === b.active && a.memo === b.memo;

interface Priced {
  readonly fee: bigint;
  readonly values: Pick<RegistrationRow, 'units' | 'packed' | 'txid' | 'tx_expiration' | 'after_block'>;
}

export class Registrations {
  readonly #parts: RegistrationParts;
  readonly #pauses = new Set<() => void>();
  readonly #underWay = new Set<Promise<Registered>>();
  #fee: { readonly units: bigint; readonly untilMs: number } | undefined;
  #cancel: Cancel | undefined;
  #round: Promise<void> = Promise.resolve();
  #forgottenMs = Number.NEGATIVE_INFINITY;
  #isStopped = false;

  constructor(parts: RegistrationParts) {
    this.#parts = parts;
  }

  #find(name: string): Promise<RegistrationRow | undefined> {
    return this.#parts.db.selectFrom('registration').selectAll().where('name', '=', name).executeTakeFirst();
  }

  /** Waits until a block has it, and not longer than it may. The same name and keys again are the same registration. */
  async register(newcomer: Newcomer, admission: Admission): Promise<Registered> {
    const work = this.#register(newcomer, admission);
    this.#underWay.add(work);
    try {
      return await work;
    } finally {
      this.#underWay.delete(work);
    }
  }

  async #register(newcomer: Newcomer, admission: Admission): Promise<Registered> {
    const untilMs = this.#parts.clock.monotonicMs() + this.#parts.waitMs;
    for (let tries = 1; ; tries++) {
      const known = await this.#known(newcomer);
      if (known !== undefined) return known.row === undefined ? known : this.#settled(known.row, untilMs);
      const refusal = await this.#begin(newcomer, admission);
      if (refusal === undefined) continue;
      if (refusal === 'dearer' && tries < PRICE_TRIES) continue;
      if (refusal === 'taken') fail(GATEWAY_ERRORS.gateway_name_taken, { name: newcomer.name });
      fail(GATEWAY_ERRORS[REFUSED_WITH[refusal] ?? 'gateway_chain'], { why: 'the node has refused it' });
    }
  }

  /** Recorded here, or on the chain with these very keys. Throws where the name is somebody else's. */
  async #known(newcomer: Newcomer): Promise<Registered | undefined> {
    const { name } = newcomer;
    const row = await this.#find(name);
    const isOpen = row !== undefined && row.state !== 'final';
    if (isOpen) {
      check(isSame(keysOf(row), newcomer), GATEWAY_ERRORS.gateway_name_taken, { name });
      return { row, account: undefined };
    }
    // A flood that nothing is left for costs one question to the database each, and the node none.
    check(row !== undefined || (await this.isOpen()), GATEWAY_ERRORS.gateway_budget);
    const { node } = this.#parts;
    const found = await node.ask('an account', (database) => database.get_account_by_name({ name }));
    if (found === undefined) {
      if (row !== undefined) await this.#unmake(row);
      return undefined;
    }
    const { owner, active, options } = found;
    const isIts = (auth: typeof owner, key: PublicKey): boolean =>
      auth.key_auths.length === 1 && auth.account_auths.length === 0 && auth.key_auths[0]?.[0] === key;
    const isHis = row !== undefined && isSame(keysOf(row), newcomer);
    const isOnChain =
      isIts(owner, newcomer.owner) && isIts(active, newcomer.active) && options.memo_key === newcomer.memo;
    check(isHis || isOnChain, GATEWAY_ERRORS.gateway_name_taken, { name });
    return { row: isHis ? row : undefined, account: found.id };
  }

  /** A chain that was put back, as development chains are, knows nothing of what was final once. */
  async #unmake({ name, txid, block }: RegistrationRow): Promise<void> {
    const { db, node, log } = this.#parts;
    const { last_irreversible_block_num: irreversible } = await node.freshHead();
    // A node that is behind will know it later.
    const isBehind = block === null || irreversible < block;
    check(!isBehind, GATEWAY_ERRORS.gateway_chain, { why: 'the node is behind; try again later' });
    log.warn('an account that was registered is not on the chain any more', { name, txid });
    await db.deleteFrom('registration').where('name', '=', name).where('txid', '=', txid).execute();
  }

  /** Undefined: it is recorded now, by this one or by another. */
  async #begin(newcomer: Newcomer, admission: Admission): Promise<RegistrationRefusal | undefined> {
    const { budget, clock } = this.#parts;
    const invite = admission.invite();
    const brought = await admission.referrer();
    const { fee, values } = await this.#priced(newcomer, brought);
    const nowMs = clock.nowMs();
    const row: RegistrationRow = {
      name: newcomer.name,
      state: 'signed',
      owner_key: newcomer.owner,
      active_key: newcomer.active,
      memo_key: newcomer.memo,
      referrer: brought.referrer,
      percent: brought.percent,
      day: budget.today,
      ...values,
      attempts: 0,
      next_ms: nowMs + RETRY_MS,
      block: null,
      block_id: null,
      account: null,
      invite: invite ?? null,
      created_ms: nowMs,
    };
    try {
      await this.#record(row, fee, admission.address);
    } catch (error) {
      if (error instanceof NameIsRecorded) return undefined;
      throw error;
    }
    crashPoint('registration_signed');
    return this.#send(row, admission.address);
  }

  async #record(row: RegistrationRow, fee: bigint, address: string | undefined): Promise<void> {
    const { db, budget, clock } = this.#parts;
    await db.transaction().execute(async (trx) => {
      await budget.charge(trx, row.day, fee);
      const inserted = await trx
        .insertInto('registration')
        .values(row)
        .onConflict((conflict) => conflict.column('name').doNothing())
        .returning('name')
        .executeTakeFirst();
      if (inserted === undefined) throw new NameIsRecorded();
      if (address !== undefined) await budget.countAddress(trx, address);
      if (row.invite !== null) await takeInvite(trx, row.invite, row.name, clock);
    });
  }

  /** Whether today's budget suffices for another one, as far as can be told without the node. */
  async isOpen(): Promise<boolean> {
    const { db, budget } = this.#parts;
    return (await budget.left(db)) >= this.#usualFee;
  }

  get #usualFee(): bigint {
    const fee = this.#fee;
    return fee === undefined || this.#parts.clock.monotonicMs() > fee.untilMs ? 0n : fee.units;
  }

  async #priced(newcomer: Newcomer, brought: { referrer: Instance; percent: number }): Promise<Priced> {
    const { node, registrar, clock } = this.#parts;
    const { account, key, chainId, feeAsset } = registrar;
    const operation = accountOperation(newcomer, account, brought);
    const head = await node.freshHead();
    const { client } = node;
    const trx = await node.ask('a fee', () =>
      buildTransaction(client, [operation], { lifetimeSec: LIFETIME_SEC, feeAsset, head }),
    );
    const fee = trx.operations[0]?.[1].fee.amount;
    invariant(fee !== undefined, 'a transaction has the operation that it was made of');
    this.#fee = { units: fee, untilMs: clock.monotonicMs() + FEE_MS };
    const signed = signTransaction(trx, chainId, [key]);
    const values = {
      units: String(fee),
      packed: toHex(packTransaction(signed)),
      txid: idOfTransaction(signed),
      tx_expiration: signed.expiration,
      after_block: head.last_irreversible_block_num,
    };
    return { fee, values };
  }

  /** Gives the recorded bytes to the node. Says why where the chain will never take them. `address`: who has just asked. */
  async #send(
    { name, txid, packed }: RegistrationRow,
    address?: string | undefined,
  ): Promise<RegistrationRefusal | undefined> {
    const { db, node, clock, answerMs, log } = this.#parts;
    const row = await db
      .updateTable('registration')
      .set((one) => ({ attempts: one('attempts', '+', 1), next_ms: clock.nowMs() + answerMs + RETRY_MS }))
      .where('name', '=', name)
      .where('txid', '=', txid)
      .where('state', '=', 'signed')
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) return undefined;
    try {
      await node.client.network_broadcast.broadcast_transaction({ trx: unpackTransaction(fromHex(packed)) });
    } catch (error) {
      if (error instanceof RpcConnectionError) {
        log.warn('nobody knows whether the node has got a registration', { name, txid, why: error.message });
        await this.#sendSoon(row);
        return undefined;
      }
      if (!(error instanceof RpcError)) throw error;
      return this.#refused(row, error, address);
    }
    crashPoint('registration_taken');
    await this.#taken(row);
    return undefined;
  }

  async #sendSoon({ name, txid }: RegistrationRow): Promise<void> {
    await this.#parts.db
      .updateTable('registration')
      .set({ next_ms: this.#parts.clock.nowMs() + RETRY_MS })
      .where('name', '=', name)
      .where('txid', '=', txid)
      .execute();
  }

  async #taken({ name, txid }: RegistrationRow): Promise<void> {
    await this.#parts.db
      .updateTable('registration')
      .set({ state: 'sent' })
      .where('name', '=', name)
      .where('txid', '=', txid)
      .where('state', '=', 'signed')
      .execute();
  }

  async #refused(
    row: RegistrationRow,
    error: RpcError,
    address: string | undefined,
  ): Promise<RegistrationRefusal | undefined> {
    const { log } = this.#parts;
    const { name, txid } = row;
    const reason = refusalOf(error);
    this.#parts.refused(reason);
    if (reason === 'known') {
      await this.#taken(row);
      return undefined;
    }
    const values = { name, txid, reason, why: error.message };
    if (reason === 'fee') log.error('the account of this gateway cannot pay for a registration', values);
    else log.info('the node refuses a registration', values);
    // Only the first try of these bytes leaves no doubt: nobody else can have them.
    return row.attempts === 1 && (await this.#drop(row, address)) ? reason : undefined;
  }

  /** As if it had never been: nothing was paid, and nothing will be. */
  async #drop(row: RegistrationRow, address?: string | undefined): Promise<boolean> {
    const { db, budget } = this.#parts;
    const { name, txid, day, units, attempts, invite } = row;
    return db.transaction().execute(async (trx) => {
      await budget.charge(trx, day, 0n);
      const { numDeletedRows } = await trx
        .deleteFrom('registration')
        .where('name', '=', name)
        .where('txid', '=', txid)
        .where('attempts', '=', attempts)
        .where('state', 'in', ['signed', 'sent'])
        .executeTakeFirst();
      if (numDeletedRows !== 1n) return false;
      await budget.charge(trx, day, -BigInt(units));
      if (address !== undefined) await budget.uncountAddress(trx, day, address);
      if (invite !== null) await giveInviteBack(trx, invite, name);
      return true;
    });
  }

  async #settled(first: RegistrationRow, untilMs: number): Promise<Registered> {
    let row: RegistrationRow | undefined = first;
    for (;;) {
      if (row === undefined) fail(GATEWAY_ERRORS.gateway_chain, { why: 'the chain has not taken it; try again' });
      if (row.account !== null) return { row, account: row.account };
      const leftMs = untilMs - this.#parts.clock.monotonicMs();
      if (leftMs <= 0 || this.#isStopped) return { row, account: undefined };
      await this.#pause(Math.min(LOOK_MS, leftMs));
      row = await this.#find(first.name);
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        cancel();
        this.#pauses.delete(done);
        resolve();
      };
      const cancel = this.#parts.clock.after(ms, done);
      this.#pauses.add(done);
      if (this.#isStopped) done();
    });
  }

  /** Its transaction stands in no block, and none can have it any more: it was promised, so there is another one. */
  async again(row: RegistrationRow): Promise<void> {
    const { db, budget, node, log } = this.#parts;
    const { name, txid, day, units, referrer, percent } = row;
    const found = await node.ask('an account', (database) => database.get_account_by_name({ name }));
    if (found !== undefined) {
      log.warn('a registration has come too late: the name was given away meanwhile', { name, txid });
      await this.#drop(row);
      return;
    }
    const { fee, values } = await this.#priced({ name, ...keysOf(row) }, { referrer, percent });
    log.warn('a registration was in no block in time and is made anew', { name, txid });
    try {
      await db.transaction().execute(async (trx) => {
        await budget.charge(trx, day, fee - BigInt(units));
        const { numUpdatedRows } = await trx
          .updateTable('registration')
          .set({ ...values, state: 'signed', attempts: 0, next_ms: 0 })
          .where('name', '=', name)
          .where('txid', '=', txid)
          .where('state', '=', row.state)
          .executeTakeFirst();
        if (numUpdatedRows !== 1n) throw new NameIsRecorded();
      });
    } catch (error) {
      // Another instance was quicker.
      if (error instanceof NameIsRecorded) return;
      if (!(error instanceof ChainError) || error.row !== GATEWAY_ERRORS.gateway_budget) throw error;
      log.warn('a registration is given up: it has become dearer than the budget', { name });
      await this.#drop(row);
    }
  }

  /** Sends what was left unsent, until it is stopped. */
  start(): void {
    const again = (): void => {
      if (this.#isStopped) return;
      this.#round = this.#work().catch((error: unknown) =>
        this.#parts.log.error('registrations could not be brought on', { error }),
      );
      void this.#round.then(() => {
        if (!this.#isStopped) this.#cancel = this.#parts.clock.after(WORK_MS, again);
      });
    };
    again();
  }

  /** Who waits is answered with what there is; whoever starts next brings the rest on. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    for (const wake of [...this.#pauses]) wake();
    await this.#round;
    await Promise.allSettled([...this.#underWay]);
    // The answers go out before anybody closes their connections.
    await new Promise<void>((resolve) => this.#parts.clock.after(0, resolve));
  }

  async #work(): Promise<void> {
    const { db, budget, clock } = this.#parts;
    const nowMs = clock.nowMs();
    const rows = await db
      .selectFrom('registration')
      .selectAll()
      .where('state', '=', 'signed')
      .where('next_ms', '<', nowMs)
      .orderBy('created_ms')
      .limit(AT_ONCE_MAX)
      .execute();
    await Promise.all(rows.map((row) => this.#send(row)));
    if (clock.monotonicMs() - this.#forgottenMs < FORGET_MS) return;
    this.#forgottenMs = clock.monotonicMs();
    await budget.forgetAddresses(db);
  }

  /** The block after which all open ones are. */
  async firstBlock(): Promise<number> {
    const { db, node } = this.#parts;
    const { first } = await db
      .selectFrom('registration')
      .select((select) => select.fn.min('after_block').as('first'))
      .where('state', '!=', 'final')
      .executeTakeFirstOrThrow();
    return first ?? (await node.freshHead()).last_irreversible_block_num;
  }

  async counts(): Promise<readonly { readonly state: RegistrationState; readonly count: number }[]> {
    const rows = await this.#parts.db
      .selectFrom('registration')
      .select(['state', (select) => select.fn.countAll().as('count')])
      .groupBy('state')
      .execute();
    return rows.map(({ state, count }) => ({ state, count: Number(count) }));
  }
}
