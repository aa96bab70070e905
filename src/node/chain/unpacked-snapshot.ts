import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check } from '../../base/errors.js';
import type { GenesisSource } from '../../chain/genesis-source.js';
import { LevelKv } from '../../storage/level-kv.js';
import { type Checked, checkedSnapshot } from './checked-snapshot.js';
import { SNAPSHOT_FILE_ERRORS, type SnapshotHead, unpackSnapshot } from './snapshot-file.js';

/** Unpacks into a folder and looks whether it holds what it says; `work` is done while the folder is there. */
export async function withUnpacked<T>(
  source: string,
  genesis: GenesisSource,
  work: (checked: Checked, head: SnapshotHead) => T | Promise<T>,
  folder = mkdtempSync(join(tmpdir(), 'trustnode-snapshot-')),
): Promise<T> {
  let isKept = false;
  try {
    const kv = await LevelKv.open(folder);
    let checked: Checked;
    let head: SnapshotHead;
    try {
      head = await unpackSnapshot(source, kv);
      const { chain_id: found, state_hash: hash } = head;
      check(found === genesis.chainId, SNAPSHOT_FILE_ERRORS.snapshot_other_chain, {
        path: source,
        found,
        wanted: genesis.chainId,
      });
      checked = await checkedSnapshot(kv, genesis);
      const isSame = checked.id === head.block_id && checked.stateHash === hash;
      const reason = `it holds block ${checked.number} with the state ${checked.stateHash}`;
      check(isSame, SNAPSHOT_FILE_ERRORS.snapshot_damaged, { path: source, reason });
    } finally {
      await kv.close();
    }
    const value = await work(checked, head);
    isKept = true;
    return value;
  } finally {
    if (!isKept || folder.startsWith(tmpdir())) rmSync(folder, { recursive: true, force: true });
  }
}
