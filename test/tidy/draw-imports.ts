import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { PROJECT_ROOT } from '../support/paths.js';
import { drawing, drawn, HOUSES, ROOMS } from './imports.js';
import type { SourceFile } from './layers.js';

/** `node dist/test/tidy/draw-imports.js [folder of another version]`: the drawings of docs/decisions/imports.md. */

export function sourcesOf(root: string, folder: string): SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path: relative(root, path).replaceAll('\\', '/'), text: readFileSync(path, 'utf8') }));
}

if (process.argv[1]?.endsWith('draw-imports.js') === true) {
  const files = sourcesOf(process.argv[2] ?? PROJECT_ROOT, 'src');
  for (const [title, roomOf] of [
    ['Folders of src', HOUSES],
    ['Every folder', ROOMS],
  ] as const) {
    process.stdout.write(`${title}\n\n${drawn(drawing(files, roomOf))}\n\n`);
  }
}
