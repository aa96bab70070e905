import { check, defineErrors, FAMILY } from '../../base/errors.js';
import type { Json } from '../../codec/json.js';
import { fixedHex, text, u32 } from '../../codec/scalars.js';
import { timeToText } from '../../codec/time.js';
import type { ChainView, MachineOptions } from '../ports.js';
import type { Hello, NodeId } from '../wire/messages.js';
import { entryOf, textVariant, unsignedVariant, type VariantObject, variant } from '../wire/variant.js';

/** What a hello says beside its fields. Unknown names are passed over, absent ones are fine, wrong values are not. */

export const USER_DATA_ERRORS = defineErrors({
  user_data_value: { ...FAMILY.badCast, text: '${name} of the user data cannot be read' },
});

const nodeId = fixedHex('node_id', 33);

/** Names that are read, with how: as text or as a number. */
const TEXTS = ['fc_git_revision_sha', 'graphene_git_revision_sha', 'platform', 'node_id'] as const;
const NUMBERS = [
  'fc_git_revision_unix_timestamp',
  'graphene_git_revision_unix_timestamp',
  'bitness',
  'last_known_fork_block_number',
] as const;

export type KnownUserData = {
  readonly [K in (typeof TEXTS)[number]]?: string;
} & {
  readonly [K in (typeof NUMBERS)[number]]?: number;
};

/** A hello that was read and whose signature was recovered. */
export interface RemoteHello {
  readonly fields: Hello;
  readonly known: KnownUserData;
  readonly identity: NodeId;
}

function scalarOf(data: VariantObject, name: string): Json | undefined {
  const found = entryOf(data, name);
  if (found === undefined) return undefined;
  check(found.kind !== 'array' && found.kind !== 'object', USER_DATA_ERRORS.user_data_value, { name });
  return variant.toJson(found);
}

/** Throws a refusal where a value is not what its name asks for. */
export function readUserData(data: VariantObject): KnownUserData {
  const known: Record<string, string | number> = {};
  for (const name of TEXTS) {
    const json = scalarOf(data, name);
    if (json !== undefined) known[name] = name === 'node_id' ? nodeId.fromJson(json) : text.fromJson(json);
  }
  for (const name of NUMBERS) {
    const json = scalarOf(data, name);
    if (json !== undefined) known[name] = u32.fromJson(json);
  }
  return known;
}

/** Who the peer is: its node id, or its key where it has none. */
export function identityOf(fields: Hello, known: KnownUserData): NodeId {
  return known.node_id ?? fields.node_public_key;
}

export function ownUserData(options: MachineOptions, { head }: ChainView): VariantObject {
  return [
    ['platform', textVariant(options.platform)],
    ['bitness', unsignedVariant(64)],
    ['node_id', textVariant(options.nodeId)],
    ['last_known_block_hash', textVariant(head.id)],
    ['last_known_block_number', unsignedVariant(head.number)],
    ['last_known_block_time', textVariant(timeToText(head.number === 0 ? 0 : head.time))],
  ];
}
