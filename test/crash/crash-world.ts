import type { GenesisSource } from '../../src/chain/genesis-source.js';
import { worldGenesis } from '../support/world-genesis.js';

/** The chain that the producing process makes blocks for. */
export const CRASH_ACCOUNTS = ['alice', 'bob', 'carol', 'dave'] as const;
export const CRASH_WITNESSES = 7;

export function crashGenesis(): GenesisSource {
  const accounts = Object.fromEntries(CRASH_ACCOUNTS.map((name) => [name, 1_000_000_000_000n]));
  return worldGenesis({ accounts, witnesses: CRASH_WITNESSES, parameters: { maintenance_interval: 120 } });
}

/** Written after every block: the last irreversible block that the process knew of. */
export const PROGRESS_FILE = 'progress';

/** Of the witness that is killed: what it has signed, and where its time stands. */
export const SIGNED_FILE = 'signed';
export const TIME_FILE = 'time';

export function progressRecord(number: number, id: string): string {
  return `${String(number).padStart(10)} ${id.padEnd(40)}\n`;
}

export function readProgress(text: string): { readonly number: number; readonly id: string } {
  const [number = '0', id = ''] = text.trim().split(/\s+/);
  return { number: Number(number) || 0, id };
}
