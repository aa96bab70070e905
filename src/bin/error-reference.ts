import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allErrors, type ErrorRow } from '../base/errors.js';
import { projectFile } from '../node/runtime/project.js';

/** Folders of the program that refuse something, from the inside out. */
const ROOMS = [
  'base',
  'codec',
  'crypto',
  'protocol',
  'state',
  'operations',
  'vm',
  'chain',
  'verify',
  'importer',
  'storage',
  'http',
  'rpc',
  'p2p',
  'witness',
  'plugin',
  'plugins',
  'config',
  'client',
  'wallet',
  'trade',
  'services',
  'node',
  'commands',
] as const;
type Room = (typeof ROOMS)[number];

/** A worker begins to work when it is loaded, and the page is for browsers. */
const NOT_LOADED = /^page\/|worker\.js$/;

const PROGRAM = join(import.meta.dirname, '..');
const PLUGINS = join(PROGRAM, '..', 'plugins');

const INTRODUCTION = `# Errors

Made by \`npm run docs\` from the rows of the program. \`key\` is the stable name of one check, \`kind\` says who or what a
refusal is to be put down to (see [decisions/errors.md](decisions/errors.md)); code, name and text are those of the chain
family. Placeholders are filled from the refused values; a hint is a sentence for people.

A program decides by the key, and leaves what it does not know to others:

[examples/refusals.mjs](examples/refusals.mjs)

\`\`\`js
${readFileSync(projectFile('docs', 'examples', 'refusals.mjs'), 'utf8')}\`\`\`

\`data.key\` is there as \`key\` of an \`RpcError\`, \`data.code\` as \`code\`, \`data.name\` as \`kind\`; the whole answer is \`error\`.
`;

/** Every module of every room is loaded, so that the table is whole. A row belongs to the room that exports it first. */
export async function everyRow(): Promise<ReadonlyMap<ErrorRow, Room>> {
  const rows = new Map<ErrorRow, Room>();
  for (const room of ROOMS) {
    const folder = room === 'plugins' ? PLUGINS : join(PROGRAM, room);
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    for (const name of names.filter((one) => one.endsWith('.js') && !NOT_LOADED.test(one)).sort()) {
      for (const [exported, value] of Object.entries(await import(join(folder, name)))) {
        if (!exported.endsWith('_ERRORS')) continue;
        for (const row of Object.values(value as Record<string, ErrorRow>)) if (!rows.has(row)) rows.set(row, room);
      }
    }
  }
  return rows;
}

async function roomsOfKeys(): Promise<ReadonlyMap<string, Room>> {
  const rows = await everyRow();
  return new Map(
    allErrors().map((row) => {
      const room = rows.get(row);
      if (room === undefined) throw new Error(`error key ${row.key}: its table is not exported as …_ERRORS`);
      return [row.key, room];
    }),
  );
}

const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``;
const plain = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');

function lineOf({ key, kind, code: number, name, text, hint }: ErrorRow): string {
  const cells = [code(key), kind, number, code(name), text === '' ? '' : code(text), plain(hint ?? '')];
  return `| ${cells.join(' | ')} |`;
}

/** `docs/errors.md`: the whole table of errors by room, within a room by key. */
export async function errorReference(): Promise<string> {
  const rooms = await roomsOfKeys();
  const parts = [INTRODUCTION];
  for (const room of ROOMS) {
    const rows = allErrors().filter(({ key }) => rooms.get(key) === room);
    if (rows.length === 0) continue;
    rows.sort((a, b) => (a.key < b.key ? -1 : 1));
    parts.push(`## ${room}\n`, '| Key | Kind | Code | Name | Text | Hint |', '|---|---|---|---|---|---|');
    parts.push(...rows.map(lineOf), '');
  }
  return parts.join('\n');
}
