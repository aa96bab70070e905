import { writeFileSync } from 'node:fs';
import '../protocol/operations/index.js';
import { API_DECLARATIONS } from '../api/index.js';
import { configExample } from '../node/load-settings.js';
import { nodeParts } from '../node/parts/list.js';
import { loadPlugins } from '../node/parts/plugins.js';
import { projectFile } from '../node/runtime/project.js';
import { rpcMarkdown } from '../rpc/described/markdown.js';
import { errorReference } from './error-reference.js';

/** Texts that are made from tables of the program, by file. A test compares each with its file. */
export const GENERATED: Readonly<Record<string, () => string | Promise<string>>> = {
  'config.ini.example': async () => configExample(nodeParts(await loadPlugins())),
  'docs/rpc.md': () => rpcMarkdown(API_DECLARATIONS),
  'docs/errors.md': errorReference,
};

/** `npm run docs`: writes all of them anew. */
if (process.argv[1]?.endsWith('docs.js') === true) {
  for (const [file, text] of Object.entries(GENERATED)) {
    writeFileSync(projectFile(file), await text());
    process.stdout.write(`${file}\n`);
  }
}
