import { join } from 'node:path';
import type { Logger } from '../../base/world.js';
import { Chain, type ChainOptions, emptyState } from '../../chain/chain.js';
import type { GenesisSource } from '../../chain/genesis-source.js';
import type { DebugUpdates } from '../../chain/updates-by-block.js';
import { BlockImporter, NO_SENDERS } from '../../importer/importer.js';
import { type Recovered, recover } from '../../importer/recover.js';
import type { ContractEngine } from '../../operations/contract/engine.js';
import { type Files, nodeFiles } from '../../storage/files.js';
import {
  BULK_FLUSH,
  type FlushLimits,
  LIVE_FLUSH,
  STORAGE_FOLDERS,
  Storage,
  type StorageOptions,
  type StorageStart,
} from '../../storage/storage.js';
import { inlineVerifier } from '../../verify/inline.js';
import { chainContractEngine } from '../../vm/chain-engine.js';
import { contractKeys } from '../../vm/keys.js';
import type { Replayed } from '../runtime/start-stage.js';
import { releaseYoungSpace } from '../runtime/young-space.js';
import { isCatchingUp } from './catching-up.js';
import { withConsole } from './contract-console.js';
import { dropDebugUpdates, loadDebugUpdates } from './debug-updates-file.js';
import { ReplayProgress } from './replay-progress.js';

/**
 * Irreversible blocks whose changes the store takes together: an object that they all change is encoded once. Fewer where
 * they have changed so much: nobody is answered while it is handed over.
 */
const LIVE_SAVE = { blocks: 20, changes: 50_000 };
/** While blocks stream in. */
export const BULK_SAVE = { blocks: 2000, changes: 50_000 };

export interface StoredChainOptions {
  readonly dataDir: string;
  readonly genesis: GenesisSource;
  readonly start?: StorageStart;
  readonly log: Logger;
  /** Hours; as this data directory was begun with, or as the network says, when it is not given. */
  readonly dataTransactionLifetime?: number | undefined;
  readonly chain?: Pick<
    ChainOptions,
    'checkpoints' | 'contractTimeUsMax' | 'mustRecountVotes' | 'saveBlocks' | 'observe' | 'onBug' | 'idSalt'
  >;
  readonly storage?: Pick<StorageOptions, 'files' | 'openKv' | 'journal'>;
  /** How much is gathered before it is written while blocks of the log are applied. */
  readonly flushLimits?: FlushLimits;
  /** May refuse the start: asked when the store's lock keeps every other start away, and before anything is dropped. */
  readonly checkStart?: () => void;
  readonly signal?: AbortSignal;
  /** For the turns of others while blocks are applied, and for telling how far that has come. */
  readonly monotonicMs?: () => number;
  /** What is being done, in words, while this takes long. */
  readonly tell?: (detail: string, replayed?: Replayed) => void;
  /** What contracts print is logged here. */
  readonly contractLog?: Logger;
  /** Looks at what contracts do. */
  readonly aroundEngine?: (engine: ContractEngine) => ContractEngine;
  /** Given when this start begins the chain. */
  readonly beginning?: Beginning | undefined;
}

/** What belongs to a chain from its first start on; done while the store's lock keeps every other start away. */
export interface Beginning {
  /** Called before the genesis is built. `isNew`: nothing of a chain is stored yet. */
  keep(isNew: boolean): void;
  /** The chain did not begin after all. */
  undo(): void;
}

/** A chain over a data directory, brought up to the last block that is stored there. */
export interface StoredChain {
  readonly chain: Chain;
  readonly storage: Storage;
  /** With the settings that hold in this data directory. */
  readonly genesis: GenesisSource;
  readonly debugUpdates: DebugUpdates;
  readonly recovered: Recovered;
  /** Hands over and writes everything irreversible; blocks that may still be undone are in the block log. */
  close(): Promise<void>;
}

export async function openStoredChain(options: StoredChainOptions): Promise<StoredChain> {
  const { dataDir, log, start = 'normal' } = options;
  const files = options.storage?.files ?? nodeFiles;
  const genesis = withLifetime(options, files);
  const state = emptyState(genesis, options.chain?.idSalt);
  if (start !== 'normal') {
    // Before anything is dropped, for the sake of what could have gone on without it.
    options.checkStart?.();
  }
  const storage = await Storage.open({
    dataDir,
    chainId: genesis.chainId,
    definitions: state.definitions,
    start,
    ...options.storage,
  });
  if (start !== 'normal')
    log.warn(start === 'replay' ? 'the state was dropped' : 'state and blocks were dropped', { dataDir });
  const isNew = storage.objects.head === undefined && storage.log.headNumber === 0;
  let isKept = false;
  try {
    options.checkStart?.();
    if (start === 'resync') dropDebugUpdates(files, dataDir);
    options.beginning?.keep(isNew);
    isKept = true;
    keepLifetime(options, files);
    reportRepair(storage, log);
    reportJournalGap(storage, log);
    if (!isNew) releaseYoungSpace();
    options.tell?.('loading the state');
    const isLoaded = await storage.load(state);
    if (isLoaded) log.info('state loaded', { block: storage.objects.head?.number ?? 0 });
    const bare = chainContractEngine(contractKeys(genesis.network));
    const engine = options.aroundEngine?.(bare) ?? bare;
    const { contractLog } = options;
    const debugUpdates = loadDebugUpdates(files, dataDir);
    const chain = new Chain({
      ...options.chain,
      genesis,
      debugUpdates,
      engine: contractLog === undefined ? engine : withConsole(engine, contractLog),
      blocks: storage.blocks,
      state,
      store: storage.objects,
    });
    const importer = new BlockImporter({
      door: chain.blocks,
      network: genesis.network,
      chainId: genesis.chainId,
      verifier: inlineVerifier(),
      monotonicMs: options.monotonicMs,
      ...NO_SENDERS,
    });
    const progress = new ReplayProgress(log, options.monotonicMs ?? (() => performance.now()), options.tell);
    const saveEvery = ({ blocks, changes }: typeof LIVE_SAVE): void =>
      chain.blocks.saveEvery(options.chain?.saveBlocks ?? blocks, changes);
    saveEvery(BULK_SAVE);
    const recovered = await recover(storage, chain.replay, importer, {
      flushLimits: options.flushLimits ?? BULK_FLUSH,
      onProgress: (soFar) => progress.look(soFar),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    saveEvery(LIVE_SAVE);
    const close = async (): Promise<void> => {
      try {
        chain.blocks.save();
      } catch (error) {
        await storage.abandon();
        throw error;
      }
      await storage.close();
    };
    return { chain, storage, genesis, debugUpdates, recovered, close };
  } catch (error) {
    try {
      if (isNew && isKept) undoBeginning(options, files, storage);
    } finally {
      await storage.abandon();
    }
    throw error;
  }
}

/** Nothing is lost: log and journal have no block yet, only the id of a chain whose genesis cannot be built. */
function undoBeginning({ beginning, dataDir }: StoredChainOptions, files: Files, storage: Storage): void {
  if (beginning === undefined || storage.objects.head !== undefined || storage.log.headNumber > 0) return;
  storage.log.abandon();
  storage.journal.log.abandon();
  for (const folder of [STORAGE_FOLDERS.blockLog, STORAGE_FOLDERS.journal]) files.remove(join(dataDir, folder));
  beginning.undo();
}

const lifetimePath = (dataDir: string): string => join(dataDir, STORAGE_FOLDERS.chain, 'data_transaction_lifetime');

/**
 * The lifetime of data transactions changes the state, but no file of the network fixes it. A directory therefore
 * remembers what it was given, or one forgotten option would make another state of the same blocks.
 */
function withLifetime(
  { dataDir, genesis, start, dataTransactionLifetime: given }: StoredChainOptions,
  files: Files,
): GenesisSource {
  const kept = start === 'resync' ? undefined : files.readText(lifetimePath(dataDir));
  const hours = given ?? (kept === undefined ? undefined : Number(kept.trim()));
  if (hours === undefined) return genesis;
  return { ...genesis, network: { ...genesis.network, dataTransactionLifetimeHours: hours } };
}

function keepLifetime({ dataDir, log, dataTransactionLifetime: given }: StoredChainOptions, files: Files): void {
  if (given === undefined) return;
  const path = lifetimePath(dataDir);
  const kept = files.readText(path)?.trim();
  if (kept === String(given)) return;
  if (kept !== undefined) {
    log.warn('data transactions live for another time than so far; only a replay makes the state follow', {
      hours: given,
      before: kept,
    });
  }
  files.writeText(path, `${given}\n`);
}

function reportRepair({ log: blockLog, repair }: Storage, log: Logger): void {
  if (repair.cut !== undefined) {
    log.warn('the last record of the block log was not whole and is cut', { path: blockLog.path, ...repair.cut });
  }
  if (repair.indexed > 0) log.info('entries of the block index written again', { count: repair.indexed });
}

function reportJournalGap({ journalGap, journal, objects, log: blockLog }: Storage, log: Logger): void {
  if (journalGap === undefined || !journal.isKept) return;
  if (journalGap === 'replay') {
    log.warn('there is no operation journal yet: all blocks are applied again to write it, this once', {
      blocks: blockLog.headNumber,
    });
    return;
  }
  log.warn('the operation journal begins behind the stored state: who needs earlier blocks is refused', {
    from: journal.firstNumber,
    operations: journalGap === 'snapshot' ? (objects.history?.operations ?? 0) : 'unknown, counted from 0',
  });
}

/**
 * Writes in the background while blocks come in. `onFailure` is told once; the node must stop then, what is on disk is
 * intact and a later start goes on from there. With a clock it writes seldom while old blocks stream in: what changes in
 * many of them is written once, and blocks of the log that the stored state lacks are soon applied again.
 */
export function flushInBackground(
  { chain, storage }: Pick<StoredChain, 'chain' | 'storage'>,
  onFailure: (error: unknown) => void,
  nowMs?: () => number,
): () => void {
  const { log } = storage;
  const told = (write: () => void): void => {
    try {
      write();
    } catch (error) {
      onFailure(error);
    }
  };
  let writesSoon = false;
  /** The blocks of one turn are written together, at its end at the latest. */
  const keepBack = (isBehind: boolean): void => {
    told(() => {
      log.keepsBack = isBehind ? 'undoable' : 'nothing';
    });
    if (!isBehind || writesSoon) return;
    writesSoon = true;
    setImmediate(() => {
      writesSoon = false;
      told(() => log.writeOut());
    });
  };
  return chain.blocks.subscribe((event) => {
    if (event.kind !== 'applied') return;
    if (nowMs !== undefined) {
      const isBehind = isCatchingUp(event.block.block.timestamp, nowMs());
      storage.flushLimits = isBehind ? BULK_FLUSH : LIVE_FLUSH;
      const { blocks, changes } = isBehind ? BULK_SAVE : LIVE_SAVE;
      chain.blocks.saveEvery(blocks, changes);
      keepBack(isBehind);
    }
    storage.flushIfDue()?.catch(onFailure);
  });
}
