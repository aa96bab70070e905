import { fromHex } from '../../src/base/bytes.js';
import { blind } from '../../src/crypto/blind.js';
import { sha256Hex } from '../../src/crypto/hash.js';
import {
  blindTransferOperation,
  transferFromBlindOperation,
  transferToBlindOperation,
} from '../../src/protocol/operations/transfers.js';
import { blindedBalanceObject } from '../../src/state/objects/blinded-balance.js';
import { KEYS } from './scene.js';
import { type Coin, type Given, type Maker, maker, type Tools } from './tools.js';

const OWNER = { weight_threshold: 1, account_auths: [], key_auths: [[KEYS[0], 1]], address_auths: [] };

function newCoin(
  t: Tools,
  asset: number,
  amount: bigint,
  factor = sha256Hex(new TextEncoder().encode(`${t.random.next()}`)).replace(/^../, '00'),
): Coin {
  const made = { asset, amount, factor, commitment: blind(fromHex(factor), amount) };
  t.coins.set(made.commitment, made);
  return made;
}

function hidden(t: Tools): Coin | undefined {
  const coin = t.coins.get(t.row(blindedBalanceObject)?.commitment ?? '');
  return t.chance(0.9) || coin === undefined
    ? coin
    : newCoin(t, coin.asset, coin.amount, coin.factor.replace(/.$/, '7'));
}

function output(t: Tools, { commitment }: Coin): Given {
  const owner = t.chance(0.95) ? OWNER : { ...OWNER, weight_threshold: 2 };
  return { commitment, range_proof: new Uint8Array(0), owner };
}

function input(t: Tools, { commitment }: Coin): Given {
  return { commitment, owner: t.chance(0.95) ? OWNER : { ...OWNER, weight_threshold: 0 } };
}

export const CONFIDENTIAL_MAKERS: readonly Maker[] = [
  maker(transferToBlindOperation, (t, from) => {
    const asset = t.chance(0.8) ? t.m.core : t.asset();
    const amount = BigInt(t.random.between(2_000_000, 90_000_000));
    const coin = newCoin(t, asset, amount);
    return { from, amount: { amount, asset_id: asset }, blinding_factor: coin.factor, outputs: [output(t, coin)] };
  }),
  maker(blindTransferOperation, (t) => {
    const coin = hidden(t);
    if (coin === undefined) return {};
    let fee = { amount: 0n, asset_id: coin.asset };
    for (let i = 0; i < 2; i++)
      fee = {
        amount: t.needOf(blindTransferOperation.tag, { fee, inputs: [], outputs: [output(t, coin)] }),
        asset_id: coin.asset,
      };
    if (t.chance(0.2)) fee.amount += t.pick(-1n, 1n);
    if (fee.amount >= coin.amount || fee.amount < 0n) return {};
    const to = newCoin(t, coin.asset, coin.amount - fee.amount, coin.factor);
    return { fee, inputs: [input(t, coin)], outputs: [output(t, to)] };
  }),
  maker(transferFromBlindOperation, (t) => {
    const coin = hidden(t);
    if (coin === undefined) return {};
    const fee = {
      amount: t.needOf(transferFromBlindOperation.tag, { fee: { amount: 0n, asset_id: coin.asset } }),
      asset_id: coin.asset,
    };
    if (t.chance(0.2)) fee.amount += t.pick(-1n, 1n);
    if (fee.amount >= coin.amount || fee.amount < 0n) return {};
    return {
      fee,
      amount: { amount: coin.amount - fee.amount, asset_id: coin.asset },
      to: t.account(),
      blinding_factor: coin.factor,
      inputs: [input(t, coin)],
    };
  }),
];
