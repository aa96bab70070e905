import type { CrashPoint } from '../base/crash-point.js';
import type { ErrorRow } from '../base/errors.js';
import { STORAGE_ERRORS } from './errors.js';

/** What a log of one record per block is called, in its files and towards people. */
export interface LogKind {
  /** Of the file with the records and of its index, for messages. */
  readonly name: string;
  readonly indexName: string;
  readonly file: string;
  readonly indexFile: string;
  readonly magic: string;
  readonly indexMagic: string;
  /** Newest format that this program knows, and the one that it writes. */
  readonly format: number;
  readonly errors: {
    readonly corrupt: ErrorRow;
    readonly indexCorrupt: ErrorRow;
    readonly order: ErrorRow;
  };
  readonly crashPoints: {
    readonly beforeAppend: CrashPoint;
    readonly halfAppend: CrashPoint;
    readonly beforeIndex: CrashPoint;
    readonly halfIndex: CrashPoint;
    readonly afterIndexCut: CrashPoint;
    readonly afterCut: CrashPoint;
  };
}

export const BLOCK_LOG_FORMAT = 1;
export const LOG_MAGIC = 'TNBLKLOG';
const INDEX_MAGIC = 'TNBLKIDX';

export const BLOCKS: LogKind = {
  name: 'block log',
  indexName: 'block index',
  file: 'blocks',
  indexFile: 'index',
  magic: LOG_MAGIC,
  indexMagic: INDEX_MAGIC,
  format: BLOCK_LOG_FORMAT,
  errors: {
    corrupt: STORAGE_ERRORS.block_log_corrupt,
    indexCorrupt: STORAGE_ERRORS.block_index_corrupt,
    order: STORAGE_ERRORS.block_log_order,
  },
  crashPoints: {
    beforeAppend: 'block_log_before_append',
    halfAppend: 'block_log_half_append',
    beforeIndex: 'after_block_log_before_index',
    halfIndex: 'block_log_half_index',
    afterIndexCut: 'block_log_after_index_cut',
    afterCut: 'block_log_after_cut',
  },
};

export const JOURNAL_FORMAT = 1;

/** Its records are the segments of journal/segment.ts. */
export const JOURNAL: LogKind = {
  name: 'operation journal',
  indexName: 'index of the operation journal',
  file: 'segments',
  indexFile: 'index',
  magic: 'TNOPJRNL',
  indexMagic: 'TNOPJIDX',
  format: JOURNAL_FORMAT,
  errors: {
    corrupt: STORAGE_ERRORS.journal_corrupt,
    indexCorrupt: STORAGE_ERRORS.journal_index_corrupt,
    order: STORAGE_ERRORS.journal_order,
  },
  crashPoints: {
    beforeAppend: 'journal_before_append',
    halfAppend: 'journal_half_append',
    beforeIndex: 'after_journal_before_index',
    halfIndex: 'journal_half_index',
    afterIndexCut: 'journal_after_index_cut',
    afterCut: 'journal_after_cut',
  },
};
