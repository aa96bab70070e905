import type { Asset } from '../../src/protocol/asset.js';
import type { Authority } from '../../src/protocol/authority.js';
import {
  blindTransferOperation,
  transferFromBlindOperation,
  transferToBlindOperation,
} from '../../src/protocol/operations/transfers.js';
import { blindedBalanceObject } from '../../src/state/objects/blinded-balance.js';
import { share } from './amounts.js';
import { flat } from './fee-rules.js';
import { type AnyRule, type Model, rule } from './model.js';
import { must } from './tables.js';

const TEMP = 4;
const hasFee = ({ fee }: { fee: Asset }): void => must(fee.amount >= 0n, 'a fee below zero');

interface Hidden {
  readonly commitment: string;
  readonly owner: Authority;
}

function ordered(list: readonly Hidden[]): void {
  must(list.length > 0, 'nothing hidden');
  must(
    list.every((one, i) => i === 0 || (list[i - 1] as Hidden).commitment < one.commitment),
    'in disorder',
  );
}

function possible({ owner }: Hidden): void {
  const all = [...owner.account_auths, ...owner.key_auths, ...owner.address_auths];
  must(all.reduce((sum, [, weight]) => sum + weight, 0) >= owner.weight_threshold, 'an impossible owner');
}

const perOutput = {
  defaults: { fee: 500_000, price_per_output: 500_000 },
  price: (values: (name: string) => bigint, op: { outputs: readonly unknown[] }) =>
    values('fee') + BigInt(op.outputs.length) * values('price_per_output'),
};

function checkOwners(m: Model, outputs: readonly Hidden[]): void {
  for (const { owner } of outputs) for (const [id] of owner.account_auths) m.account(id);
}

function hide(m: Model, asset_id: number, outputs: readonly Hidden[]): void {
  for (const { commitment, owner } of outputs) {
    m.create(blindedBalanceObject, { commitment, asset_id, owner }, (row) => row.commitment === commitment);
  }
}

function spend(m: Model, asset: number, inputs: readonly Hidden[]): void {
  for (const { commitment, owner } of inputs) {
    const row = m.where(blindedBalanceObject, (one) => one.commitment === commitment);
    must(row !== undefined && row.asset_id === asset, 'nothing like that is hidden');
    must(JSON.stringify(row.owner) === JSON.stringify(owner), 'of another');
    m.remove(blindedBalanceObject, row.id);
  }
}

function less(m: Model, asset: number, amount: bigint): void {
  must(m.supply(asset).confidential_supply >= amount, 'less is hidden');
  m.changeSupply(asset, (o) => {
    o.confidential_supply = share(o.confidential_supply - amount);
  });
}

const toBlind = rule(transferToBlindOperation, {
  payer: (op) => op.from,
  fee: perOutput,
  fba: 0,
  valid(op) {
    hasFee(op);
    must(op.amount.amount > 0n, 'nothing to hide');
    ordered(op.outputs);
    op.outputs.forEach(possible);
  },
  run(m, op) {
    const { amount, asset_id } = op.amount;
    must((m.asset(asset_id).options.flags & 0x4a) === 0, 'must not be hidden');
    checkOwners(m, op.outputs);
    m.take(op.from, op.amount);
    m.changeSupply(asset_id, (o) => {
      o.confidential_supply = share(o.confidential_supply + amount);
    });
    hide(m, asset_id, op.outputs);
    return undefined;
  },
});

const blind = rule(blindTransferOperation, {
  payer: () => TEMP,
  fee: perOutput,
  fba: 1,
  asks: (op, { other }) => void other.push(...op.inputs.map(({ owner }) => owner)),
  valid(op) {
    ordered(op.inputs);
    if (op.outputs.length > 0) ordered(op.outputs);
    op.outputs.forEach(possible);
  },
  run(m, op) {
    checkOwners(m, op.outputs);
    m.give(TEMP, op.fee);
    spend(m, op.fee.asset_id, op.inputs);
    hide(m, op.fee.asset_id, op.outputs);
    less(m, op.fee.asset_id, op.fee.amount);
    return undefined;
  },
});

const fromBlind = rule(transferFromBlindOperation, {
  payer: () => TEMP,
  fee: flat(500_000),
  fba: 2,
  asks: (op, { other }) => void other.push(...op.inputs.map(({ owner }) => owner)),
  valid(op) {
    hasFee(op);
    must(op.amount.amount > 0n && op.amount.asset_id === op.fee.asset_id, 'another asset');
    ordered(op.inputs);
  },
  run(m, op) {
    m.give(TEMP, op.fee);
    m.give(op.to, op.amount);
    spend(m, op.fee.asset_id, op.inputs);
    less(m, op.fee.asset_id, share(op.amount.amount + op.fee.amount));
    return undefined;
  },
});

export const CONFIDENTIAL_RULES: readonly AnyRule[] = [toBlind, blind, fromBlind];
