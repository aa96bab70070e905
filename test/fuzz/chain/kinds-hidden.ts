import { toHex } from '../../../src/base/bytes.js';
import { blind, blindSum } from '../../../src/crypto/blind.js';
import { sha256 } from '../../../src/crypto/hash.js';
import { writeRangeHeader } from '../../../src/crypto/range-header.js';
import { makeAsset } from '../../../src/protocol/asset.js';
import { keyAuthority } from '../../../src/protocol/authority.js';
import { blindedBalanceObject } from '../../../src/state/objects/blinded-balance.js';
import { keyOf } from './keys.js';
import type { HiddenCoin, Kind, Scene } from './scene.js';

const OWNERS = ['hidden one', 'hidden two'];
/** The chain reads no more of a proof than its header, and looks how long it is. */
const PROOF = new Uint8Array(200);
PROOF.set(writeRangeHeader({ exponent: 0, mantissa: 52, minValue: 0n, maxValue: (1n << 52n) - 1n }));

function coin(scene: Scene, asset: number, amount: bigint, factor = freshFactor(scene)): HiddenCoin {
  const made = { commitment: blind(factor, amount), factor, amount, asset, owner: scene.random.pick(OWNERS) };
  scene.memory.coins.set(made.commitment, made);
  return made;
}

function freshFactor(scene: Scene): Uint8Array {
  const factor = sha256(new TextEncoder().encode(`factor ${scene.unique()}`));
  factor[0] = 0;
  return factor;
}

const output = ({ commitment, owner }: HiddenCoin) => ({
  commitment,
  range_proof: PROOF,
  owner: keyAuthority(keyOf(owner).publicKey),
});
const input = ({ commitment, owner }: HiddenCoin) => ({ commitment, owner: keyAuthority(keyOf(owner).publicKey) });

const sorted = (coins: readonly HiddenCoin[]): HiddenCoin[] =>
  [...coins].sort((a, b) => (a.commitment < b.commitment ? -1 : 1));

function spendable(scene: Scene): HiddenCoin | undefined {
  const known = [...scene.state.all(blindedBalanceObject)].map(({ commitment }) => scene.memory.coins.get(commitment));
  return scene.one(known.filter((one) => one !== undefined));
}

const hide: Kind = {
  name: 'transfer_to_blind',
  weight: 1.5,
  make(scene) {
    const asset = scene.random.chance(0.9) ? scene.state.coreAsset : scene.asset().id;
    const whole = BigInt(scene.random.between(20_000_000, 90_000_000));
    if (scene.random.chance(0.5)) {
      const one = coin(scene, asset, whole);
      const given = { blinding_factor: toHex(one.factor), outputs: [output(one)] };
      return scene.op(this.name, { from: scene.user(), amount: makeAsset(whole, asset), ...given });
    }
    const parts = [coin(scene, asset, whole / 3n), coin(scene, asset, whole - whole / 3n)];
    const factor = blindSum(
      parts.map((part) => part.factor),
      2,
    );
    const given = { blinding_factor: toHex(factor), outputs: sorted(parts).map(output) };
    return scene.op(this.name, { from: scene.user(), amount: makeAsset(whole, asset), ...given });
  },
};

const moveHidden: Kind = {
  name: 'blind_transfer',
  weight: 1.5,
  make(scene) {
    const from = spendable(scene);
    if (from === undefined) return undefined;
    const draft = scene.op(this.name, { inputs: [input(from)], outputs: [output(from)] });
    const fee = draft[1].fee.amount;
    if (fee >= from.amount || scene.random.chance(0.05)) return undefined;
    const to = coin(scene, from.asset, from.amount - fee, from.factor);
    return scene.op(this.name, { inputs: [input(from)], outputs: [output(to)], fee: makeAsset(fee, from.asset) });
  },
};

const show: Kind = {
  name: 'transfer_from_blind',
  weight: 1.5,
  make(scene) {
    const from = spendable(scene);
    if (from === undefined) return undefined;
    const to = scene.account().id;
    const fee = scene.op(this.name, { to, inputs: [input(from)] })[1].fee.amount;
    if (fee >= from.amount) return undefined;
    return scene.op(this.name, {
      to,
      amount: makeAsset(from.amount - fee, from.asset),
      fee: makeAsset(fee, from.asset),
      blinding_factor: toHex(from.factor),
      inputs: [input(from)],
    });
  },
};

export const HIDDEN_KINDS: readonly Kind[] = [hide, moveHidden, show];
