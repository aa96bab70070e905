import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import type { Network } from '../../src/codec/type.js';
import { objectOf } from '../../src/protocol/objects/declare.js';
import type { StateImage } from './image.js';

/** A slice of the work ends with the first of these; then blocks and clients have their turn. */
const SLICE_MS = 4;
const SLICE_OBJECTS = 256;
const LOOK_OBJECTS = 16;

const CHUNK_CHARS = 256 * 1024;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Writes beside the file and puts it in its place when it is whole. Returns the number of lines. */
export async function writeImage(path: string, image: StateImage, network: Network): Promise<number> {
  const unfinished = `${path}.tmp`;
  let file: FileHandle | undefined;
  try {
    file = await open(unfinished, 'w');
    const lines = await writeLines(file, image, network);
    await file.sync();
    checkUse(image);
    await file.close();
    file = undefined;
    await rename(unfinished, path);
    return lines;
  } catch (error) {
    await file?.close();
    await rm(unfinished, { force: true });
    throw error;
  }
}

function checkUse(image: StateImage): void {
  image.checkHistory();
  if (image.trouble !== undefined) throw new Error(image.trouble);
}

async function writeLines(file: FileHandle, image: StateImage, network: Network): Promise<number> {
  let lines = 0;
  let text = '';
  let seen = 0;
  let end = performance.now() + SLICE_MS;
  for (const definition of image.types) {
    const type = objectOf(definition);
    for (const object of image.read(definition)) {
      if (object !== undefined) {
        text += `${JSON.stringify(type.toJson(object as never, network))}\n`;
        lines++;
      }
      seen++;
      const isFull = text.length >= CHUNK_CHARS;
      const isOver = seen % SLICE_OBJECTS === 0 || (seen % LOOK_OBJECTS === 0 && performance.now() >= end);
      if (!isFull && !isOver) continue;
      checkUse(image);
      if (isFull) {
        await file.writeFile(text);
        text = '';
      }
      await turn();
      end = performance.now() + SLICE_MS;
    }
  }
  await file.writeFile(text);
  return lines;
}
