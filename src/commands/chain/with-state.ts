import { rmSync } from 'node:fs';
import type { ArgumentsCamelCase } from 'yargs';
import { ChainError, check, defineErrors, FAMILY, fail } from '../../base/errors.js';
import type { GenesisSource } from '../../chain/genesis-source.js';
import { loadedSnapshot } from '../../node/chain/checked-snapshot.js';
import type { SnapshotMade } from '../../rpc/ports.js';
import { STORAGE_ERRORS } from '../../storage/errors.js';
import { LevelKv } from '../../storage/level-kv.js';
import { openDoor } from '../node-door.js';
import type { Terminal } from '../terminal.js';
import { type StateAt, stateAt } from './at-block.js';
import { openBlocks, openChain, placeToRead } from './open.js';

export const BESIDE_ERRORS = defineErrors({
  beside_at_block: {
    ...FAMILY.invalidArgument,
    text: 'a node runs on ${path}: beside it the state of its last irreversible block is read, and --at-block takes a stopped one',
  },
  beside_refused: {
    kind: 'environment',
    ...FAMILY.invalidArgument,
    text: 'a node runs on ${path} and made no copy of its state: ${reason}',
    hint: 'a node that is starting does so once it is ready; trustnode status tells how far it is',
  },
});

/** A million accounts take a few seconds. */
const COPY_MS = 600_000;

export interface ReadableState extends StateAt {
  readonly genesis: GenesisSource;
  /** Undefined for a block that the log does not have. */
  blockIdOf(number: number): string | undefined;
}

/**
 * The state in a data directory: as it lies there, or, where a node runs on it, a copy of the last irreversible block's
 * that the node makes for this.
 */
export async function withState(
  terminal: Terminal,
  args: ArgumentsCamelCase,
  use: (found: ReadableState) => Promise<void> | void,
): Promise<void> {
  const atBlock = args.atBlock as number | undefined;
  const opened = await openChain(terminal, args, { mustExist: true }).catch((error: unknown) => {
    if (error instanceof ChainError && error.row === STORAGE_ERRORS.storage_in_use) return undefined;
    throw error;
  });
  if (opened === undefined) return withCopy(terminal, args, atBlock, use);
  try {
    const { chain, genesis } = opened;
    await use({ ...stateAt(opened, atBlock), genesis, blockIdOf: (number) => chain.queries.blockIdOf(number) });
  } finally {
    await opened.close();
  }
}

async function withCopy(
  terminal: Terminal,
  args: ArgumentsCamelCase,
  atBlock: number | undefined,
  use: (found: ReadableState) => Promise<void> | void,
): Promise<void> {
  const { dataDir, genesis } = placeToRead(args);
  check(atBlock === undefined, BESIDE_ERRORS.beside_at_block, { path: dataDir });
  const path = await copyOf(dataDir);
  try {
    const kv = await LevelKv.open(path);
    const loaded = await loadedSnapshot(kv, genesis).finally(() => kv.close());
    terminal.err(`a node runs there: this is the state of its last irreversible block, ${loaded.number}\n`);
    const { log } = openBlocks(args);
    try {
      await use({ ...loaded, genesis, blockIdOf: (number) => log.idOf(number) });
    } finally {
      log.abandon();
    }
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}

async function copyOf(dataDir: string): Promise<string> {
  const refused = (reason: string): never => fail(BESIDE_ERRORS.beside_refused, { path: dataDir, reason });
  const door = await openDoor({ dataDir }).catch((error: unknown) => refused(String((error as Error).message)));
  const { result, error } = await door.order('copy_state', COPY_MS);
  return result === undefined
    ? refused(error?.message ?? `no answer at ${door.name}`)
    : (result as SnapshotMade).snapshot_dir;
}
