import { readFileSync } from 'node:fs';

/** Files, threads and sockets of its own that a node has open before anybody connects, with some to spare. */
const OWN_FILES = 64;
/** So many of any kind are there all the same, where next to nothing may be open. */
const CONNECTIONS_MIN = 4;

/** How many connections a process may take without running out of files for what it stores. */
export interface ConnectionRoom {
  readonly clients: number;
  readonly peers: number;
}

/** The rest is for the databases, whose library keeps to a fifth of what the process may open. Undefined: no limit is known. */
export function connectionRoom(filesMax: number | undefined = openFilesMax()): ConnectionRoom | undefined {
  if (filesMax === undefined) return undefined;
  const room = Math.max(0, filesMax - OWN_FILES);
  const part = (share: number): number => Math.max(CONNECTIONS_MIN, Math.floor(room * share));
  return { clients: part(1 / 2), peers: part(1 / 4) };
}

/** What the system lets this process open; undefined where it does not say. Node takes as much as it may at its start. */
function openFilesMax(): number | undefined {
  try {
    const found = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
    return found === null ? undefined : Number(found[1]);
  } catch {
    return undefined;
  }
}
