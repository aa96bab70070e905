import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder with package.json: tests run compiled, some levels below it. */
export const PROJECT_ROOT: string = (() => {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
})();

export function projectPath(...parts: readonly string[]): string {
  return join(PROJECT_ROOT, ...parts);
}
