import type { Json, JsonObject } from '../../../src/codec/json.js';
import { impactedAccounts } from '../../../src/operations/impact.js';
import { operation } from '../../../src/protocol/operation-slot.js';
import { NETWORK } from '../../support/network.js';
import type { BlockEffects, Shown } from './notice-replay.js';

/** How our notices are compared with the recorded ones. The recorded node ran the plugin account_history, ours none. */

/** Recorded notices that wait for the history plugin, and how those that do not were found. */
export const NOTICE_VERDICTS = [
  'equal',
  /** Objects of the history apart, which stand in the same notice. */
  'equal but for history objects',
  /** There is nothing else in it. */
  'waits: history objects only',
  /** A subscribed account hears of it through an operation in the history, or through its count of operations. */
  'waits: told because of history',
] as const;
export type NoticeVerdict = (typeof NOTICE_VERDICTS)[number];

const HISTORY_OBJECT = /^(1\.11|2\.9)\./;
const STATISTICS = '2.6.';
const HISTORY_MEMBERS = /"most_recent_op":"2\.9\.\d+","total_ops":\d+,"removed_ops":\d+/;

const withoutHistory = (text: string): string => text.replace(HISTORY_MEMBERS, '');

/** Objects of a notice by id, as texts; undefined when it is a notice of something else. The order does not count. */
export function objectsOf(notice: string): Shown | undefined {
  const [, [argument]] = JSON.parse(notice).params as [Json, [Json]];
  if (!Array.isArray(argument)) return undefined;
  const shown: Shown = new Map();
  for (const item of argument) {
    const id = typeof item === 'string' ? item : String((item as JsonObject).id);
    shown.set(id, withoutHistory(JSON.stringify(item)));
  }
  return shown;
}

const callbackOf = (notice: string): string => JSON.stringify(JSON.parse(notice).params[0]);

function sameObjects(a: Shown, b: Shown): boolean {
  return a.size === b.size && [...a].every(([id, text]) => b.get(id) === text);
}

/** What the history plugin put into a notice, and what is left without it. */
interface Parted {
  readonly rest: Shown;
  /** Subscribed accounts that the history alone concerns. */
  readonly concerned: Set<string>;
}

/** `ours` are the objects of our notice in the same place, if there is one. */
function part(recorded: string, blocks: readonly BlockEffects[], isOurs: (id: string) => boolean): Parted {
  const rest: Shown = new Map();
  const concerned = new Set<string>();
  const [, [argument]] = JSON.parse(recorded).params as [Json, [Json[]]];
  for (const [index, [id, text]] of [...(objectsOf(recorded) as Shown)].entries()) {
    if (HISTORY_OBJECT.test(id)) {
      const { op } = argument[index] as JsonObject;
      if (op !== undefined)
        for (const account of impactedAccounts([operation.fromJson(op, NETWORK)])) concerned.add(`1.2.${account}`);
      continue;
    }
    const isCount =
      id.startsWith(STATISTICS) &&
      !isOurs(id) &&
      blocks.some(({ statistics }) => withoutHistory(statistics.get(id) ?? '') === text);
    if (isCount) concerned.add(`1.2.${id.slice(STATISTICS.length)}`);
    else rest.set(id, text);
  }
  return { rest, concerned };
}

/** Undefined: the recorded notice should have come. `ours` is the next one of ours; the second result: it is that one. */
export function judge(
  recorded: string,
  ours: string | undefined,
  blocks: readonly BlockEffects[],
  subscribed: ReadonlySet<string>,
): [verdict: NoticeVerdict, isOurs: boolean] | undefined {
  if (recorded === ours) return ['equal', true];
  const wanted = objectsOf(recorded);
  if (wanted === undefined) return undefined;
  const given = ours === undefined || callbackOf(ours) !== callbackOf(recorded) ? undefined : objectsOf(ours);
  if (given !== undefined && sameObjects(wanted, given)) return ['equal', true];
  const { rest, concerned } = part(recorded, blocks, (id) => given?.has(id) === true);
  if (given !== undefined && sameObjects(rest, given)) return ['equal but for history objects', true];
  // Without the history at hand every object of the statistics that we changed ourselves is one of ours again.
  const alone = part(recorded, blocks, () => false);
  if (alone.rest.size === 0) return ['waits: history objects only', false];
  const isConcerned = [...alone.concerned, ...concerned].some((account) => subscribed.has(account));
  const isWhole = blocks.some(({ changes }) =>
    changes.some(
      (kind) => [...rest].every(([id, text]) => withoutHistory(kind.get(id) ?? '') === text) && covers(rest, kind),
    ),
  );
  return isConcerned && isWhole ? ['waits: told because of history', false] : undefined;
}

/** Statistics that were taken for counted operations aside, it is all of the kind. */
function covers(rest: Shown, kind: Shown): boolean {
  return [...kind.keys()].every((id) => rest.has(id) || id.startsWith(STATISTICS));
}
