import { writeFileSync } from 'node:fs';
import { projectFile } from '../node/runtime/project.js';
import { configExample } from '../node/settings.js';

/** Texts that are made from tables of the program, by file. A test compares each with its file. */
export const GENERATED: Readonly<Record<string, () => string>> = {
  'config.ini.example': configExample,
};

/** `npm run docs`: writes all of them anew. */
if (process.argv[1]?.endsWith('docs.js') === true) {
  for (const [file, text] of Object.entries(GENERATED)) {
    writeFileSync(projectFile(file), text());
    process.stdout.write(`${file}\n`);
  }
}
