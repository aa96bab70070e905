import type { AnyType } from '../../../src/codec/type.js';
import { definitionOf } from '../../../src/operations/registered.js';
import type { ChainParameters } from '../../../src/protocol/chain-parameters.js';
import type { Operation, OperationBody } from '../../../src/protocol/operation-slot.js';
import { ACCOUNT_KINDS } from './kinds-accounts.js';
import { ASSET_KINDS } from './kinds-assets.js';
import { CONTRACT_KINDS } from './kinds-contracts.js';
import { HIDDEN_KINDS } from './kinds-hidden.js';
import { MARKET_KINDS } from './kinds-market.js';
import { emptyTempAccount, MONEY_KINDS } from './kinds-money.js';
import { NODE_KINDS } from './kinds-nodes.js';
import { parameterKinds } from './kinds-parameters.js';
import { proposalKinds, proposeAndApprove } from './kinds-proposals.js';
import { RETIRED_KINDS } from './kinds-retired.js';
import type { Kind, Scene } from './scene.js';

const COMMITTEE = 0;
/** Operations that are nearly, but not quite, as their kind makes them. */
const BENT_SHARE = 0.06;
const I64 = (1n << 63n) - 1n;
const U64 = (1n << 64n) - 1n;

const asList = (made: Operation | readonly Operation[] | undefined): readonly Operation[] =>
  made === undefined ? [] : typeof made[0] === 'number' ? [made as Operation] : (made as readonly Operation[]);

/** Another value of the type, often one at the end of its range. */
function bent(type: AnyType, value: unknown, scene: Scene): unknown {
  const { random } = scene;
  if (type.name === 'bool') return value !== true;
  if (type.name === 'uint8') return random.pick([0, 1, 255]);
  if (type.name === 'uint16') return random.pick([0, 1, 65_535]);
  if (type.name === 'uint32' || type.name === 'time_point_sec') {
    return random.pick([0, 1, 0xffff_ffff, ((value as number) + 1) >>> 0, ((value as number) - 1) >>> 0]);
  }
  if (type.name === 'uint64') return random.pick([0n, 1n, U64, I64]);
  if (type.name === 'share' || type.name === 'int64')
    return random.pick([0n, -1n, I64, -I64 - 1n, (value as bigint) + 1n]);
  if (type.name === 'asset') {
    const { amount, asset_id } = value as { amount: bigint; asset_id: number };
    if (random.chance(0.5)) return { amount, asset_id: random.below(6) };
    return {
      amount: random.pick([0n, -1n, I64, -I64 - 1n, 10n ** 17n, amount > I64 - 2n ? amount : amount + 1n]),
      asset_id,
    };
  }
  if (type.name === 'string') return random.pick(['', 'x'.repeat(130), 'ü\udc80']);
  if (type.name.endsWith('_id') && typeof value === 'number') return random.pick([0, 3, 4, value + 1, 2 ** 32 - 1]);
  if (type.shape.kind === 'array' && Array.isArray(value)) return random.chance(0.5) ? [] : [...value, ...value];
  if (type.shape.kind === 'set') return [];
  if (type.shape.kind === 'optional') return undefined;
  return value;
}

export function bend([tag, body]: Operation, scene: Scene): Operation {
  const fields = Object.entries(definitionOf(tag).schema.fields as Record<string, AnyType>);
  const [name, type] = scene.random.pick(fields);
  return [
    tag,
    { ...body, [name]: bent(type, (body as unknown as Record<string, unknown>)[name], scene) } as OperationBody,
  ];
}

/** All kinds, by weight; those of the committee come as proposals that it has approved. */
export class Workload {
  readonly #kinds: readonly Kind[];
  readonly #inner: readonly Kind[];

  constructor(beginning: () => ChainParameters) {
    this.#inner = [
      ...ACCOUNT_KINDS,
      ...ASSET_KINDS,
      ...MONEY_KINDS,
      ...NODE_KINDS,
      ...MARKET_KINDS,
      ...CONTRACT_KINDS,
      ...HIDDEN_KINDS,
      ...RETIRED_KINDS,
      ...parameterKinds(beginning),
    ];
    this.#kinds = [...this.#inner, ...proposalKinds((scene) => this.#ofKind(scene, this.#inner))];
  }

  /** Operations of one transaction; empty when what chance has picked is not possible now. */
  make(scene: Scene): readonly Operation[] {
    const { random } = scene;
    const left = emptyTempAccount(scene);
    if (left.length > 0 && random.chance(0.5)) return left;
    const kind = random.pickWeighted(this.#kinds);
    const made = this.#bent(scene, asList(kind.make(scene)));
    if (made.length === 0) return [];
    if (kind.byCommittee === true && random.chance(0.95)) return proposeAndApprove(scene, made, [COMMITTEE]);
    if (random.chance(0.04)) return [...made, ...this.#ofKind(scene, this.#kinds)];
    return made;
  }

  #ofKind(scene: Scene, kinds: readonly Kind[]): readonly Operation[] {
    return this.#bent(scene, asList(scene.random.pickWeighted(kinds).make(scene)));
  }

  #bent(scene: Scene, made: readonly Operation[]): readonly Operation[] {
    return made.map((operation) => (scene.random.chance(BENT_SHARE) ? bend(operation, scene) : operation));
  }
}
