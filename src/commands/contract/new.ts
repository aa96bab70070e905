import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { check, defineErrors, FAMILY } from '../../base/errors.js';
import { projectFile } from '../../node/runtime/project.js';
import { guarded } from '../../storage/errors.js';
import type { Command } from '../command.js';
import { textOf } from '../keys/input.js';

export const NEW_CONTRACT_ERRORS = defineErrors({
  new_contract_name: {
    ...FAMILY.invalidArgument,
    text: '${name} is no name for a contract: a small letter, then small letters, digits and hyphens, at most 50',
  },
  new_contract_folder: { ...FAMILY.invalidArgument, text: '${folder} is there already and not empty' },
});

const NAME = /^[a-z](?:[a-z0-9]|-(?=[a-z0-9])){0,49}$/;
/** The package that contracts are compiled with, of the version that the kit is tested with. */
const COMPILER = 'assemblyscript';

const template = (name: string): string => projectFile('docs', 'contracts', 'template', name);

/** A project that builds and passes its test. */
function writeProject(name: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const file of ['contract.ts', 'contract.test.mjs', 'deploy.mjs', 'watch.mjs', 'README.md']) {
    const text = readFileSync(template(file), 'utf8').replaceAll('NAME', name);
    writeFileSync(join(folder, file.replace('contract', name)), text);
  }
  cpSync(projectFile('docs', 'contracts', 'kit'), join(folder, 'kit'), { recursive: true });
  const own = JSON.parse(readFileSync(projectFile('package.json'), 'utf8')) as {
    readonly devDependencies?: Readonly<Record<string, string>>;
  };
  const project = {
    name,
    private: true,
    type: 'module',
    scripts: {
      build: `node kit/build.mjs ${name}.ts`,
      check: `node --stack-size=6500 --test ${name}.test.mjs`,
      test: 'npm run --silent build && npm run --silent check',
      deploy: 'node deploy.mjs',
      dev: 'node watch.mjs',
    },
    devDependencies: {
      [COMPILER]: own.devDependencies?.[COMPILER] ?? '*',
      // Where this very program is; no registry has it.
      trustnode: `file:${resolve(projectFile('package.json'), '..')}`,
    },
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(project, null, 2)}\n`);
  writeFileSync(join(folder, '.gitignore'), 'node_modules\n*.wasm\n*.abi\n');
}

export const newCommand: Command = {
  builder: (yargs) =>
    yargs.positional('name', { type: 'string', demandOption: true }).positional('folder', { type: 'string' }),
  handler: (args, terminal) => {
    const name = textOf(args, 'name');
    check(NAME.test(name), NEW_CONTRACT_ERRORS.new_contract_name, { name });
    const folder = resolve(typeof args.folder === 'string' ? args.folder : name);
    const isFree = !existsSync(folder) || guarded(folder, () => readdirSync(folder)).length === 0;
    check(isFree, NEW_CONTRACT_ERRORS.new_contract_folder, { folder });
    guarded(folder, () => writeProject(name, folder));
    terminal.out(`${folder} is a contract project\n\n  cd ${folder}\n  npm install\n  npm test\n  npm run dev\n`);
  },
};
