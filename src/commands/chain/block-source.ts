import { closeSync, createReadStream, existsSync, openSync, readSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { passingBytes } from '../../base/bytes.js';
import { ChainError, check, defineErrors, FAMILY } from '../../base/errors.js';
import { parseJson } from '../../codec/json.js';
import type { Network } from '../../codec/type.js';
import { type SignedBlock, signedBlock } from '../../protocol/block.js';
import { ReadBlock, type SourceBlock, trustedBlock } from '../../protocol/source-block.js';
import { BlockLog } from '../../storage/block-log.js';
import { FILE_HEADER_BYTES } from '../../storage/block-record.js';
import { guarded, STORAGE_ERRORS, storageError } from '../../storage/errors.js';
import { LOG_MAGIC } from '../../storage/log-kind.js';
import { readOnlyFiles } from '../../storage/read-only-files.js';

export const BLOCK_SOURCE_ERRORS = defineErrors({
  block_line: { ...FAMILY.parse, text: '${path} line ${line}: ${reason}' },
  block_source_kind: {
    ...FAMILY.invalidArgument,
    text: '${path} is neither a block log nor lines of blocks as get_block gives them, plain or gzipped',
  },
});

export interface BlockSource {
  /** To be walked once; lines of JSON are those of this network. */
  blocks(network: Network): AsyncIterable<SourceBlock>;
  /** Share of the source that has been read, 0 to 1. */
  progress(): number;
}

/** Opens a file of blocks; what kind it is follows from its first bytes. */
export function openBlockSource(path: string): BlockSource {
  check(existsSync(path), STORAGE_ERRORS.storage_missing, { path });
  if (guarded(path, () => statSync(path)).isDirectory()) return fromBlockLog(join(path, 'blocks'));
  const head = firstBytes(path);
  if (head.toString('latin1', 0, LOG_MAGIC.length) === LOG_MAGIC) return fromBlockLog(path);
  const isGzip = head[0] === 0x1f && head[1] === 0x8b;
  check(isGzip || head.length === 0 || head[0] === 0x7b, BLOCK_SOURCE_ERRORS.block_source_kind, { path });
  return fromLines(path, isGzip);
}

function firstBytes(path: string): Buffer {
  return guarded(path, () => {
    const descriptor = openSync(path, 'r');
    const bytes = Buffer.alloc(FILE_HEADER_BYTES);
    const count = readSync(descriptor, bytes, 0, bytes.length, 0);
    closeSync(descriptor);
    return bytes.subarray(0, count);
  });
}

function fromLines(path: string, isGzip: boolean): BlockSource {
  const size = statSync(path).size;
  const file = createReadStream(path, { highWaterMark: 1024 * 1024 });
  async function* blocks(network: Network): AsyncGenerator<SourceBlock> {
    const input = isGzip ? file.pipe(createGunzip()) : file;
    // An error of the file does not travel down a pipe by itself.
    file.on('error', (error) => input.destroy(error));
    let line = 0;
    try {
      for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
        line++;
        if (text.trim() !== '') yield new ReadBlock(parseBlock(text, path, line, network), text.length);
      }
    } catch (error) {
      throw storageError(error, path);
    } finally {
      file.destroy();
    }
  }
  return { blocks, progress: () => (size === 0 ? 1 : file.bytesRead / size) };
}

function parseBlock(text: string, path: string, line: number, network: Network): SignedBlock {
  try {
    return signedBlock.fromJson(parseJson(text), network);
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    throw new ChainError(BLOCK_SOURCE_ERRORS.block_line, { path, line, reason: error.message });
  }
}

/** The log of another data directory, or a copy of one; it may be in use, so it is read and never repaired. */
function fromBlockLog(path: string): BlockSource {
  check(existsSync(path), STORAGE_ERRORS.storage_missing, { path });
  const isAtHome = basename(path) === 'blocks';
  // A copy under another name has no index beside it; without one it is made in memory.
  const files = isAtHome
    ? readOnlyFiles
    : {
        ...readOnlyFiles,
        open: (name: string) => readOnlyFiles.open(basename(name) === 'blocks' ? path : `${path}.index`),
      };
  const log = BlockLog.openAsSource(files, dirname(path));
  let number = 0;
  async function* blocks(): AsyncGenerator<SourceBlock> {
    try {
      for (const block of log.walk(1)) {
        number = block.number;
        // The log's own bytes are gone with its next block.
        const bytes = passingBytes(block.bytes.length);
        bytes.set(block.bytes);
        yield trustedBlock(bytes);
      }
    } finally {
      log.abandon();
    }
  }
  return { blocks, progress: () => (log.headNumber === 0 ? 1 : number / log.headNumber) };
}
