import { writeFileSync } from 'node:fs';
import '../operations/index.js';
import { configExample } from '../node/load-settings.js';
import { projectFile } from '../node/runtime/project.js';
import { APIS } from '../rpc/apis/index.js';
import { rpcMarkdown } from '../rpc/described/markdown.js';
import { errorReference } from './error-reference.js';

/** Texts that are made from tables of the program, by file. A test compares each with its file. */
export const GENERATED: Readonly<Record<string, () => string | Promise<string>>> = {
  'config.ini.example': configExample,
  'docs/rpc.md': () => rpcMarkdown(APIS),
  'docs/errors.md': errorReference,
};

/** `npm run docs`: writes all of them anew. */
if (process.argv[1]?.endsWith('docs.js') === true) {
  for (const [file, text] of Object.entries(GENERATED)) {
    writeFileSync(projectFile(file), await text());
    process.stdout.write(`${file}\n`);
  }
}
