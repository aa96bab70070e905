import { open } from 'node:fs/promises';

/** What a file holds, or the names in a folder, are on the disk when this settles. */
export async function onDisk(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
