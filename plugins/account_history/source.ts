import { accountHistoryRecord, operationHistoryRecord } from '../../src/protocol/objects/chain.js';
import type {
  HistoryChange,
  HistoryCounts,
  HistorySource,
  AccountHistory as ShownEntry,
} from '../../src/rpc/history-source.js';
import type { AccountHistory, TakenBlock } from './history.js';
import { shown } from './methods.js';
import type { Counts, Entry } from './records.js';

const shownCounts = ({ total, removed, recent }: Counts): HistoryCounts | undefined =>
  total === 0 ? undefined : { most_recent_op: recent, total_ops: total, removed_ops: removed };

/** The history as objects; `current` is undefined while it is not at the head. */
export function historySource(current: () => AccountHistory | undefined): HistorySource {
  const shownEntry = (history: AccountHistory, entry: Entry, next = history.entryBefore(entry)): ShownEntry => ({
    id: entry.instance,
    account: entry.account,
    operation_id: entry.operation,
    sequence: entry.sequence,
    next,
  });
  return {
    operation(instance) {
      const kept = current()?.operation(instance);
      return kept === undefined ? undefined : shown(kept);
    },
    entry(instance) {
      const history = current();
      const entry = history?.entry(instance);
      return history === undefined || entry === undefined ? undefined : shownEntry(history, entry);
    },
    counts(account) {
      const counts = current()?.countsOf(account);
      return counts && shownCounts(counts);
    },
    numbers: () => current()?.numbers ?? { operations: 0, entries: 0 },
    changesOf(block) {
      const history = current();
      const taken = history?.taken(block);
      if (history === undefined || taken === undefined) return undefined;
      const counts = new Map([...taken.before].map(([account, before]) => [account, shownCounts(before)]));
      return { objects: objectsOf(history, taken, shownEntry), counts };
    },
  };
}

function objectsOf(
  history: AccountHistory,
  taken: TakenBlock,
  show: (history: AccountHistory, entry: Entry, next?: number) => ShownEntry,
): HistoryChange[] {
  const out: HistoryChange[] = [];
  const isNew = new Set([...taken.operations, ...taken.entries]);
  for (const kept of taken.operations) {
    if (history.operation(kept.instance) === undefined) continue;
    out.push({ definition: operationHistoryRecord, instance: kept.instance, value: shown(kept), before: undefined });
  }
  for (const entry of taken.entries) {
    if (history.entry(entry.instance) === undefined) continue;
    out.push({
      definition: accountHistoryRecord,
      instance: entry.instance,
      value: show(history, entry),
      before: undefined,
    });
  }
  // What has come and gone within the block was never there. The oldest ones go first.
  const removed = new Map<number, number>();
  for (const entry of taken.removedEntries) {
    if (isNew.has(entry)) continue;
    const before = show(history, entry, removed.get(entry.account) ?? 0);
    removed.set(entry.account, entry.instance);
    out.push({ definition: accountHistoryRecord, instance: entry.instance, value: undefined, before });
  }
  for (const kept of taken.removedOperations) {
    if (isNew.has(kept)) continue;
    out.push({
      definition: operationHistoryRecord,
      instance: kept.instance,
      value: undefined,
      before: shown(kept),
    });
  }
  // The oldest ones that are left have none before them any more.
  for (const [account, next] of removed) {
    const oldest = history.entryAt(account, history.countsOf(account).removed + 1);
    if (oldest === undefined || isNew.has(oldest)) continue;
    const value = show(history, oldest);
    out.push({ definition: accountHistoryRecord, instance: oldest.instance, value, before: { ...value, next } });
  }
  return out;
}
