import { check, defineErrors } from '../base/errors.js';
import { formatObjectId, type Instance, type ObjectIdText, PROTOCOL_TYPES, parseObjectId } from '../protocol/ids.js';

/** Ids as texts, for programs that never want to see them otherwise. */

export const ID_HELPER_ERRORS = defineErrors({
  id_kind_unknown: { text: 'there is no kind of object named ${kind}', hint: 'the kinds are ${kinds}' },
});

/** Such as `account`, `asset`, `witness`: what ids beginning with `1.` are of. */
export type IdKind = (typeof PROTOCOL_TYPES)[number];

const PROTOCOL_SPACE = 1;

export interface IdParts {
  readonly space: number;
  readonly type: number;
  readonly instance: Instance;
  /** Undefined for what the chain keeps for itself, `2.x.y`. */
  readonly kind: IdKind | undefined;
}

/** `idOf('account', 9)` is `1.2.9`. */
export function idOf(kind: IdKind, instance: number): ObjectIdText {
  const type = PROTOCOL_TYPES.indexOf(kind);
  check(type >= 0, ID_HELPER_ERRORS.id_kind_unknown, { kind, kinds: PROTOCOL_TYPES.join(', ') });
  return formatObjectId(PROTOCOL_SPACE, type, instance) as ObjectIdText;
}

/** `1.2.9` in its parts; refuses what is no id. */
export function readId(text: string): IdParts {
  const { space, type, instance } = parseObjectId(text);
  return { space, type, instance, kind: space === PROTOCOL_SPACE ? PROTOCOL_TYPES[type] : undefined };
}

/** Whether a text is an id, and if a kind is named, of that kind. Names and symbols never are. */
export function isId(text: string, kind?: IdKind): text is ObjectIdText {
  if (!/^\d{1,3}\.\d{1,3}\.\d{1,15}$/.test(text)) return false;
  return kind === undefined || text.startsWith(`${PROTOCOL_SPACE}.${PROTOCOL_TYPES.indexOf(kind)}.`);
}

/** By their numbers, for lists in the order in which things were made. */
export function compareIds(a: string, b: string): number {
  const [one, two] = [parseObjectId(a), parseObjectId(b)];
  return one.space - two.space || one.type - two.type || one.instance - two.instance;
}
