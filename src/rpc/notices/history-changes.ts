import type { BlockId } from '../../crypto/digests.js';
import { accountObject } from '../../state/objects/account.js';
import { type AccountStatisticsObject, accountStatisticsObject } from '../../state/objects/account-statistics.js';
import { withCounts } from '../objects/found-object.js';
import type { RpcPorts } from '../ports.js';
import type { ShownChange } from './object-changes.js';

type Readers = Pick<RpcPorts, 'chain' | 'history'>;

/** Changes of the state as clients see them: with what the history has counted in the statistics. */
export function withCountsOf(node: Readers, changes: readonly ShownChange[]): readonly ShownChange[] {
  if (node.history === undefined) return changes;
  return changes.map((change) => {
    const { definition, value } = change;
    if (definition !== accountStatisticsObject || value === undefined) return change;
    return { ...change, value: withCounts(node, value as AccountStatisticsObject) };
  });
}

/** What a block has changed, with what it did to the history: new operations, and accounts' counts of them. */
export function withHistory(node: Readers, block: BlockId, changes: readonly ShownChange[]): readonly ShownChange[] {
  const found = node.history?.changesOf(block);
  const all = [...withCountsOf(node, changes)];
  if (found === undefined) return all;
  const { state } = node.chain;
  const counted = new Set<number>();
  for (const account of found.counts.keys()) {
    const owner = state.find(accountObject, account);
    if (owner !== undefined) counted.add(owner.statistics);
  }
  for (const { definition, instance } of changes) if (definition === accountStatisticsObject) counted.delete(instance);
  for (const instance of counted) {
    const before = state.get(accountStatisticsObject, instance);
    all.push({ definition: accountStatisticsObject, instance, value: withCounts(node, before), before });
  }
  for (const change of found.objects) all.push({ ...change, isNew: change.before === undefined });
  return all;
}
